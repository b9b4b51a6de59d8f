import type { update as en } from '../en/update.ts';

export const update: Record<keyof typeof en, string> = {
  'update.title': 'Actualización',
  'update.install': 'Instalar una actualización',
  'update.version_now': 'Versión en uso',
  'update.absent_do':
    'Un contenedor, o un ordenador que no es el propio dispositivo, recibe una versión nueva donde se inicia.',
  'update.step_send': 'Enviar',
  'update.step_verify': 'Verificar',
  'update.step_write': 'Escribir',
  'update.step_restart': 'Reiniciar',
  'update.step_confirm': 'Confirmar',
  'update.sending': 'Enviando el paquete',
  'update.sent': '{sent} de {total}',
  'update.speed': '{speed} por segundo',
  'update.rest': 'quedan {time}',
  'update.now_send': 'El paquete está llegando',
  'update.now_verify': 'El dispositivo verifica la firma y el contenido',
  'update.now_write': 'El dispositivo escribe el otro sistema',
  'update.meanwhile': 'La pantalla sigue funcionando mientras tanto. Esta página se puede cerrar.',
  'update.by_others':
    'Se ha empezado desde otro lugar: otra página, un programa o el servidor de actualizaciones.',
  'update.pending': 'La versión {version} está instalada. Funcionará tras un reinicio.',
  'update.restart': 'Reiniciar ahora',
  'update.pending_later': 'Puede esperar: hasta entonces siempre arranca la versión actual.',
  'update.stage_asked': 'El dispositivo se está apagando.',
  'update.stage_away': 'El dispositivo arranca la versión nueva. Esta página espera.',
  'update.stage_trial':
    'El dispositivo ha vuelto. La versión nueva se confirma en cuanto demuestra que funciona; puede tardar cinco minutos.',
  'update.drop': 'Suelte aquí un paquete de actualización',
  'update.drop_another': 'Suelte aquí otro paquete para sustituir la actualización instalada',
  'update.drop_hint': 'Un archivo cuyo nombre termina en .raucb. No se envía nada hasta que lo confirme.',
  'update.file': 'Archivo',
  'update.file_size': 'Tamaño',
  'update.file_version': 'Versión del archivo',
  'update.file_board': 'Para la placa',
  'update.file_unknown': 'El archivo no lo indica',
  'update.file_not_bundle':
    'Este archivo no es un paquete de actualización. Elija un archivo cuyo nombre termine en .raucb.',
  'update.file_cut_off': 'Falta una parte de este paquete. Descárguelo o cópielo de nuevo.',
  'update.file_unreadable':
    'El navegador no puede leer este archivo. Cópielo a este ordenador y elíjalo de nuevo.',
  'update.restart_after': 'Reiniciar en cuanto esté instalada',
  'update.restart_after_hint':
    'La pantalla queda negra alrededor de un minuto. Si no, elija el momento más tarde.',
  'update.install_now': 'Instalar',
  'update.another_file': 'Otro archivo',
  'update.failed_sending': 'El paquete no ha llegado completo. Compruebe la conexión e inténtelo de nuevo.',
  'update.failed_bundle':
    'El dispositivo no acepta este paquete: está dañado, es para otra placa, es más antiguo que la versión en uso o lo ha firmado otra persona. Use uno hecho para este dispositivo.',
  'update.failed_conflict':
    'Otra actualización se está recibiendo, instalando o probando. Espere a que termine e inténtelo de nuevo.',
  'update.failed_storage':
    'No hay espacio para el paquete. Elimine contenido que no se necesite e inténtelo de nuevo.',
  'update.failed_interrupted':
    'La instalación se ha interrumpido o no se puede escribir en el almacenamiento. La versión en uso no ha cambiado. Inténtelo de nuevo; si vuelve a fallar, puede que el almacenamiento esté gastado.',
  'update.failed_internal':
    'La instalación ha fallado. La versión en uso no ha cambiado. El motivo está en el registro del dispositivo.',
  'update.not_gone':
    'El dispositivo ha aceptado el reinicio, pero sigue en marcha. Pulse otra vez; si no sirve, apáguelo y enciéndalo.',
  'update.not_back':
    'El dispositivo no ha vuelto en un cuarto de hora. Compruebe la alimentación y la red; puede que su dirección haya cambiado.',
  'update.now_runs': 'La actualización ha terminado: la versión {version} funciona y está confirmada.',
  'update.trial': 'Aún sin confirmar',
  'update.trial_text':
    'La versión {version} ha arrancado y debe demostrar que funciona: que puede escribir en su almacenamiento y que algo aparece en la pantalla.',
  'update.trial_do':
    'No hay que hacer nada. Una actualización que no lo demuestra en cinco minutos se abandona y el dispositivo vuelve por sí solo a la versión anterior.',
  'update.slot': 'Sistema {name}',
  'update.active': 'En uso',
  'update.active_yes': 'Sí',
  'update.active_no': 'No',
  'update.tried': 'Actualización decidida',
  'update.no_version': 'Ningún sistema completo',
  'update.slot_runs': 'En marcha, bueno',
  'update.slot_runs_text': 'Este arranque ha demostrado que funciona.',
  'update.slot_tried': 'En marcha, sin confirmar',
  'update.slot_tried_text': 'Se considera bueno en cuanto demuestra que funciona.',
  'update.slot_written': 'Escribiéndose',
  'update.slot_written_text': 'Aquí se está instalando una actualización.',
  'update.slot_pending': 'Instalado, sin arrancar',
  'update.slot_pending_text': 'Arranca tras «Reiniciar ahora».',
  'update.slot_ready': 'Listo, bueno',
  'update.slot_ready_text': 'El dispositivo puede volver a él. La próxima actualización se escribe aquí.',
  'update.slot_incomplete': 'Malo, incompleto',
  'update.slot_incomplete_text':
    'Contiene una parte de una actualización y no puede arrancar. Instale de nuevo una actualización.',
  'update.slot_broken': 'Malo, no arranca',
  'update.slot_broken_text':
    'El dispositivo lo ha abandonado. Instale una actualización para que vuelva a haber un camino de vuelta.',
  'update.slot_empty': 'Desconocido',
  'update.slot_empty_text': 'No se conoce su contenido.',
  'update.slot_starting': 'A punto de arrancar',
  'update.slot_starting_text': 'El dispositivo se reinicia con él.',
  'update.result': 'Última actualización',
  'update.no_result': 'Aún no se ha iniciado ninguna',
  'update.no_result_do':
    'Aquí se ve cómo ha terminado una actualización, también tras volver a la versión anterior.',
  'update.outcome_success': 'Correcta',
  'update.outcome_rolled_back': 'Revertida',
  'update.outcome_failed': 'No iniciada',
  'update.result_success':
    'La versión {version} ha arrancado desde el sistema {slot} y ha demostrado que funciona.',
  'update.result_rolled_back':
    'La versión {version} del sistema {slot} no ha funcionado. El dispositivo ha vuelto por sí solo a la versión anterior.',
  'update.result_failed': 'La versión {version} del sistema {slot} no se ha iniciado. Sigue instalada.',
  'update.version_unknown': 'desconocida',
  'update.by_fleet': 'para el servidor de actualizaciones',
  'update.reason_kernel_panic': 'Su núcleo ha fallado.',
  'update.reason_kernel_panic_do':
    'Comuníquelo, con las palabras de abajo, a quien hace las actualizaciones; instalarla de nuevo no sirve.',
  'update.reason_watchdog': 'Dejó de responder y el vigilante reinició el dispositivo.',
  'update.reason_watchdog_do':
    'Inténtelo una vez más; si vuelve a ocurrir, comuníquelo a quien hace las actualizaciones.',
  'update.reason_boot_failed': 'No ha arrancado en tres intentos.',
  'update.reason_boot_failed_do': 'Compruebe que el paquete es para este dispositivo e instálelo de nuevo.',
  'update.reason_unhealthy': 'Ha arrancado, pero no ha demostrado en cinco minutos que funciona.',
  'update.reason_unhealthy_do':
    'Las palabras de abajo dicen qué se esperaba. Compruebe la pantalla y el cable e instálela de nuevo.',
  'update.reason_not_started': 'La corriente ha fallado en el momento del reinicio.',
  'update.reason_not_started_do': 'Pulse de nuevo «Reiniciar ahora».',
  'update.fleet': 'Servidor de actualizaciones',
  'update.fleet_off': 'Sin servidor de actualizaciones',
  'update.fleet_off_do':
    'Un servidor hawkBit puede actualizar muchos dispositivos. Su dirección y un token se fijan en los ajustes, en update.',
  'update.fleet_connection': 'Conexión',
  'update.fleet_connected': 'El servidor ha respondido',
  'update.fleet_not_connected': 'El servidor no responde',
  'update.fleet_last_poll': 'Última consulta',
  'update.fleet_next_poll': 'Próxima consulta',
  'update.fleet_action': 'Actualización (número)',
  'update.never': 'Aún no',
  'update.fleet_first': 'Aún no se ha consultado al servidor.',
  'update.fleet_lost': 'El servidor no responde. El dispositivo sigue consultando.',
  'update.fleet_idle': 'Nada que instalar',
  'update.fleet_waiting':
    'La versión {version} espera: a que el servidor permita la descarga o al próximo intento.',
  'update.fleet_installing': 'La versión {version} se está instalando.',
  'update.fleet_installed':
    'La versión {version} está instalada y espera a que el servidor permita el reinicio.',
  'update.fleet_applying': 'El dispositivo se reinicia con la versión {version} o espera su confirmación.',
  'update.fleet_reporting': 'La versión {version} está decidida. El servidor aún no lo sabe.',
  'update.fleet_network': 'No se puede acceder al servidor',
  'update.fleet_network_do':
    'Compruebe su dirección en los ajustes y la red del dispositivo. Se vuelve a intentar por sí solo.',
  'update.fleet_unauthorized': 'El servidor no acepta el token',
  'update.fleet_unauthorized_do': 'Indique en los ajustes el token de este dispositivo o de su grupo.',
  'update.fleet_refused': 'El servidor rechaza el dispositivo',
  'update.fleet_refused_do':
    'Compruebe el inquilino y el nombre del dispositivo en los ajustes, y que el servidor conoce el dispositivo.',
  'update.fleet_server_error': 'El servidor tiene un fallo',
  'update.fleet_server_error_do': 'Mire el registro del servidor. El dispositivo sigue consultando.',
  'update.fleet_invalid_answer': 'La respuesta del servidor no sirve',
  'update.fleet_invalid_answer_do':
    'Compruebe que la dirección es la de un servidor hawkBit. Una actualización tiene un solo archivo, cuyo nombre termina en .raucb.',
  'update.fleet_install': 'La actualización aún no está instalada',
  'update.fleet_install_do':
    'El dispositivo lo intenta de nuevo por sí solo. Las palabras de abajo dicen qué lo ha impedido.',
  'update.fleet_storage': 'El dispositivo no puede guardar su avance',
  'update.fleet_storage_do':
    'Compruebe el espacio libre; si el almacenamiento es de solo lectura, puede que esté gastado.',
};
