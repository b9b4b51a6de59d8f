import type { remote as en } from '../en/remote.ts';

export const remote: Record<keyof typeof en, string> = {
  'remote.title': 'Control remoto',
  'remote.off': 'El control remoto está desactivado',
  'remote.what':
    'Con el control remoto pulsa, desplaza y escribe sobre una imagen de la pantalla, como si estuviera delante de ella. Sirve para ayudar donde nadie puede acudir.',
  'remote.risk_acts':
    'Quien acceda a este dispositivo podrá hacer todo lo que puede una persona ante la pantalla, también donde la página ha iniciado sesión.',
  'remote.risk_seen':
    'La página no puede distinguirle de una persona ante la pantalla, y quienes estén allí ven lo que hace.',
  'remote.risk_end': 'Sigue activado hasta que lo desactive. Hágalo en cuanto haya terminado.',
  'remote.cable':
    'Solo funciona para un ordenador conectado al cable USB del dispositivo, nunca por otras redes.',
  'remote.turn_on': 'Activar el control remoto',
  'remote.on':
    'El control remoto está activado. Quien acceda a este dispositivo puede actuar en su pantalla. Desactívelo cuando haya terminado.',
  'remote.turn_off': 'Desactivar',
  'remote.screen': 'En la pantalla',
  'remote.click': 'Hacer clic en la pantalla',
  'remote.press': 'Una pulsación en la imagen',
  'remote.press_left': 'clic',
  'remote.press_right': 'clic derecho',
  'remote.press_scroll': 'desplazamiento',
  'remote.full': 'Pantalla completa',
  'remote.small': 'Salir de pantalla completa',
  'remote.keyboard_part':
    'Aquí está el teclado en pantalla. Se puede pulsar, pero las imágenes no lo muestran.',
  'remote.start_typing': 'Escribir con este teclado',
  'remote.stop_typing': 'Dejar de escribir',
  'remote.typing':
    'Lo que escribe va a la pantalla. Para terminar, pulse Escape dos veces seguidas, o este botón.',
  'remote.typing_hint':
    'Entonces todas las teclas van a la pantalla, también Tab. Un clic en la imagen hace lo mismo. Escape dos veces seguidas, o el botón, lo termina.',
  'remote.keys': 'Teclas',
  'remote.keys_edit': 'Formularios y textos',
  'remote.keys_move': 'Movimiento',
  'remote.keys_together': 'Juntas',
  'remote.key_Escape': 'Escape',
  'remote.key_Tab': 'Tab',
  'remote.key_Enter': 'Intro',
  'remote.key_Backspace': 'Retroceso',
  'remote.key_Delete': 'Supr',
  'remote.key_ArrowLeft': 'Flecha izquierda',
  'remote.key_ArrowRight': 'Flecha derecha',
  'remote.key_ArrowUp': 'Flecha arriba',
  'remote.key_ArrowDown': 'Flecha abajo',
  'remote.key_Home': 'Inicio',
  'remote.key_End': 'Fin',
  'remote.key_PageUp': 'Re Pág',
  'remote.key_PageDown': 'Av Pág',
  'remote.key_Shift': 'Mayús',
  'remote.key_Control': 'Ctrl',
  'remote.text_card': 'Texto',
  'remote.text': 'Escribir este texto',
  'remote.text_hint':
    'Pulse primero el campo en la imagen. Se puede usar cualquier carácter, 1000 como máximo.',
  'remote.send': 'Enviar',
  'remote.text_sent': 'El texto se ha escrito en la pantalla.',
  'remote.text_long': 'El texto es demasiado largo. Se pueden escribir 1000 caracteres como máximo a la vez.',
  'remote.crowded':
    'El dispositivo es más lento que lo que usted hace, así que una parte se ha omitido. Espere a que la imagen cambie.',
  'remote.failed_busy':
    'Otros usan el control remoto al mismo tiempo, así que esto no se ha hecho. Inténtelo de nuevo.',
  'remote.failed_forbidden':
    'El dispositivo no acepta esta conexión. El control remoto solo funciona en su cable USB: abra esta página con la dirección que el dispositivo tiene allí, normalmente 10.55.77.1.',
  'remote.failed_off':
    'El control remoto está desactivado, así que esto no se ha hecho. Puede que alguien lo haya desactivado.',
  'remote.failed_unavailable':
    'El dispositivo no puede hacer esto en su pantalla ahora. Compruebe que hay una pantalla conectada e inténtelo de nuevo cuando se vea su imagen.',
};
