import type { content as en } from '../en/content.ts';

export const content: Record<keyof typeof en, string> = {
  'content.title': 'Contenido',
  'content.upload_title': 'Añadir contenido',
  'content.drop': 'Arrastre aquí una carpeta o un archivo zip',
  'content.drop_hint':
    'Hace falta una página index.html, que se muestra primero. Este navegador comprime las carpetas.',
  'content.choose_folder': 'Elegir una carpeta',
  'content.reading': 'Revisando los archivos',
  'content.nothing': 'No hay ningún archivo. Elija una carpeta con una página index.html, o un archivo zip.',
  'content.unreadable':
    'Este navegador no puede leer {path}. Compruebe que el archivo todavía existe y se puede abrir, y elíjalo de nuevo.',
  'content.too_many':
    'La carpeta tiene demasiados archivos para que este navegador la comprima. Comprímala con un programa zip y elija el archivo resultante.',
  'content.too_large':
    'La carpeta es demasiado grande para que este navegador la comprima. Comprímala con un programa zip y elija el archivo resultante.',
  'content.chosen': 'Contenido elegido',
  'content.ready': 'Listo para subir',
  'content.not_ready': 'Todavía no se puede subir',
  'content.some_files': 'Archivos',
  'content.files_one': '{count} archivo',
  'content.files_other': '{count} archivos',
  'content.left_out_one': '{count} archivo oculto queda fuera',
  'content.left_out_other': '{count} archivos ocultos quedan fuera',
  'content.problem_inside':
    'La página index.html no está en la raíz, sino en una carpeta. Use solo esa carpeta, si contiene todo lo que la página necesita.',
  'content.use_folder': 'Usar la carpeta {folder}',
  'content.problem_inside_zip':
    'La página index.html no está en la raíz del archivo zip, sino en su carpeta «{what}». Descomprima el archivo y arrastre aquí esa carpeta, o comprima el contenido de la carpeta sin la carpeta misma.',
  'content.problem_spelled':
    'La primera página se llama «{what}». Cámbiele el nombre a index.html, en minúsculas.',
  'content.problem_missing':
    'No hay ninguna página index.html. La página que se muestra primero necesita este nombre y tiene que estar en la raíz, no en una carpeta.',
  'content.problem_path':
    'El dispositivo no acepta el nombre «{what}». Cámbielo, sin barras invertidas, letras de unidad ni caracteres invisibles.',
  'content.problem_long': 'La ruta «{what}» es demasiado larga, o tiene demasiadas carpetas. Acórtela.',
  'content.problem_twins':
    '«{what}» existe dos veces, con minúsculas y con mayúsculas. Cambie uno de los dos nombres.',
  'content.problem_no_zip': 'No es un archivo zip, o está dañado. Comprímalo de nuevo.',
  'content.problem_encrypted':
    'El archivo zip está protegido con una contraseña. Comprímalo de nuevo sin ella.',
  'content.name': 'Nombre del paquete',
  'content.name_hint': 'De 1 a 63 minúsculas, cifras y guiones',
  'content.name_invalid':
    'Use de 1 a 63 minúsculas sin acentos, cifras y guiones. Un guion no puede estar al principio ni al final.',
  'content.name_taken': 'El dispositivo ya tiene un paquete con este nombre. Se reemplazará.',
  'content.upload': 'Subir',
  'content.replace': 'Reemplazar',
  'content.other': 'Elegir otra cosa',
  'content.replace_title': '¿Reemplazar {name}?',
  'content.replace_text':
    'El paquete guardado se conserva hasta que el nuevo se haya comprobado. Después no se puede recuperar.',
  'content.replace_active': 'Está en la pantalla. El nuevo se carga allí en cuanto esté guardado.',

  'content.uploading': 'Subiendo {name}',
  'content.steps': 'Pasos de la subida',
  'content.step_packing': 'Comprimir',
  'content.step_sending': 'Enviar',
  'content.step_checking': 'Comprobar y guardar',
  'content.stage_packing': 'Comprimiendo en este navegador',
  'content.stage_sending': 'Enviando al dispositivo',
  'content.stage_checking': 'El dispositivo comprueba y guarda el paquete',
  'content.amount': '{done} de {total}',
  'content.speed': '{size}/s',
  'content.left': 'quedan {time}',
  'content.goes_on': 'Mientras tanto se pueden abrir otras vistas. Deje abierta esta página del navegador.',
  'content.stored': '{name} está guardado en el dispositivo',
  'content.cancelled': 'Cancelado. No se ha guardado nada.',
  'content.no_space':
    'Hacen falta {needed}, y solo hay {free} libres. Elimine los paquetes que no se necesiten e inténtelo de nuevo.',
  'content.lost': 'El dispositivo se ha reiniciado antes de guardar el paquete. Súbalo de nuevo.',

  'content.list': 'Paquetes en el dispositivo',
  'content.empty_do':
    'Arrastre arriba una carpeta o un archivo zip. El contenido se guarda en el dispositivo y se muestra sin red.',
  'content.taken_one': '{count} paquete, {size}',
  'content.taken_other': '{count} paquetes, {size}',
  'content.boots': 'Se muestra al arrancar',
  'content.boot': 'Mostrar al arrancar',
  'content.unboot': 'No mostrar al arrancar',
  'content.boot_resumes':
    'El dispositivo intenta primero volver a mostrar lo último que se mostró, porque el ajuste display.resume_on_boot está activado.',
  'content.boot_missing': 'El paquete {name} se debe mostrar al arrancar, pero el dispositivo no lo tiene.',
  'content.boot_missing_do':
    'En su lugar se muestra la página de espera. Suba un paquete con este nombre, o quite el ajuste.',
  'content.checksum': 'Suma de comprobación (SHA-256)',
  'content.check': 'Comprobar',
  'content.whole': 'Sin daños',
  'content.damaged': 'Dañado',
  'content.damaged_do': 'Súbalo de nuevo, o elimínelo.',
  'content.delete': 'Eliminar',
  'content.deleted': '{name} se ha eliminado',
  'content.delete_title': '¿Eliminar {name}?',
  'content.delete_text':
    'Se elimina del dispositivo y no se puede recuperar. Lo que su página haya guardado en el navegador del dispositivo se conserva.',
  'content.delete_boot':
    'Se muestra al arrancar. Sin él, el dispositivo muestra en su lugar la página de espera.',
  'content.delete_active': 'Está en la pantalla, por eso no se puede eliminar. Muestre antes otra cosa.',
};
