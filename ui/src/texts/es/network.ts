import type { network as en } from '../en/network.ts';

export const network: Record<keyof typeof en, string> = {
  'network.title': 'Red',
  'network.yours': 'Su conexión',
  'network.address': 'Dirección en el navegador',
  'network.over': 'Interfaz',
  'network.over_local':
    'Una dirección de su propio ordenador: el dispositivo funciona en él, o se redirige un puerto al dispositivo.',
  'network.over_unknown':
    'La dirección en el navegador no permite saberlo. Abra el dispositivo por una de sus direcciones IP para verlo.',
  'network.encryption': 'Cifrado',
  'network.encrypted': 'Cifrada (HTTPS)',
  'network.not_encrypted': 'Sin cifrar (HTTP)',
  'network.certificates': 'Certificados',
  'network.safe': 'Nada de esta página corta su conexión con el dispositivo.',
  'network.safe_https': 'Termina si se elimina el certificado del dispositivo.',

  'network.interfaces': 'Interfaces del dispositivo',
  'network.none': 'Ninguna interfaz',
  'network.none_do': 'Conecte un cable o active el Wi-Fi.',
  'network.more_one': '{count} más no aparece en la lista.',
  'network.more_other': '{count} más no aparecen en la lista.',
  'network.kind_cable': 'Cable a su ordenador',
  'network.kind_ethernet': 'Ethernet',
  'network.kind_wifi': 'Wi-Fi',
  'network.kind_modem': 'Red móvil',
  'network.kind_virtual': 'Virtual u otra',
  'network.own': 'Su conexión',
  'network.has_address': 'Tiene una dirección',
  'network.link_local': 'Solo dirección local',
  'network.link_local_do': 'Ningún router ha dado una dirección. Compruebe el router (DHCP) y el cable.',
  'network.no_address': 'Sin dirección',

  'network.access': 'Acceso a su ordenador',
  'network.host_services': 'Las páginas pueden usar servicios del ordenador en el cable',
  'network.host_services_hint':
    'Necesario para páginas que sirve ese ordenador y para un proxy en él. Si no, déjelo desactivado.',
  'network.debugging': 'Inspector web en el puerto 9222',
  'network.debugging_hint':
    'Para desarrolladores. No tiene contraseña: actívelo solo mientras lo necesite. El navegador se reinicia y la pantalla queda negra unos segundos.',
  'network.not_here':
    'Este dispositivo es un ordenador corriente: el ajuste se guarda, pero no tiene efecto en él.',

  'network.proxy': 'Proxy',
  'network.proxy_mode': 'Cómo llegan las páginas a internet',
  'network.proxy_none': 'Directamente',
  'network.proxy_manual': 'Por un proxy',
  'network.proxy_pac': 'Según un script (PAC)',
  'network.proxy_hint': 'Un cambio reinicia el navegador: la pantalla queda negra unos segundos.',
  'network.for_http': 'Proxy para páginas http',
  'network.for_https': 'Proxy para páginas https',
  'network.for_hint': 'Vacío: sin proxy',
  'network.for_missing': 'Escriba la dirección de un proxy aquí o en el campo siguiente.',
  'network.except': 'Sin pasar por el proxy',
  'network.except_hint': 'Hosts, dominios, direcciones o redes, separados por espacios',
  'network.script': 'Dirección del script',
  'network.script_missing': 'Escriba la dirección del script.',
  'network.discard': 'Descartar los cambios',
  'network.saved': 'Guardado',

  'network.time': 'Servidores de hora',
  'network.servers': 'Servidores',
  'network.servers_hint': 'Uno por línea, {most} como máximo. Vacío: los del firmware.',
  'network.servers_many': 'Hay más de {most}. Quite algunos.',
  'network.more_settings': 'Todos los ajustes',
};
