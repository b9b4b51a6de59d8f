import type { peripherals as en } from '../en/peripherals.ts';

export const peripherals: Record<keyof typeof en, string> = {
  'peripherals.title': 'Périphériques',
  'peripherals.none': 'Rien n’est branché',
  'peripherals.none_do':
    'Branchez un lecteur de codes, une balance ou une imprimante sur un port USB de l’appareil : il apparaît ici aussitôt.',
  'peripherals.no_port': 'Cet appareil n’a pas de port USB pour des périphériques',
  'peripherals.no_port_do': 'Les paramètres des périphériques y sont sans effet.',
  'peripherals.no_port_listed':
    'Cet appareil n’a pas de port USB pour des périphériques. Ce qui figure ici est relié par Bluetooth.',

  'peripherals.unnamed': 'Appareil sans nom',
  'peripherals.serial_number': 'numéro de série {number}',
  'peripherals.kind_hid': 'Entrée et sortie par rapports (WebHID)',
  'peripherals.kind_serial': 'Port série (Web Serial)',
  'peripherals.kind_usb': 'L’appareil USB lui-même (WebUSB)',
  'peripherals.usages': 'usage {usages}',
  'peripherals.drivers': 'pilote {drivers}',

  'peripherals.open': 'En cours d’utilisation',
  'peripherals.open_by': 'Une page de {origin} l’a ouvert en ce moment.',
  'peripherals.allowed': 'Autorisé',
  'peripherals.allowed_for': 'Les pages de {origins} peuvent l’utiliser.',
  'peripherals.not_this_page': 'La page affichée, de {origin}, ne peut pas l’utiliser.',
  'peripherals.disabled': 'Sans effet',
  'peripherals.kind_off': 'Une entrée l’autorise, mais ce type est désactivé dans les paramètres.',
  'peripherals.no_origin':
    'Une entrée l’autorise, mais aucune page ne peut encore utiliser de périphériques.',
  'peripherals.not_allowed': 'Non autorisé',
  'peripherals.no_entry': 'Aucune entrée ne l’autorise.',
  'peripherals.protected': 'Protégé',
  'peripherals.never': 'Aucune page ne l’obtient jamais, quels que soient les paramètres.',

  'peripherals.allow': 'Autoriser pour {origin}',
  'peripherals.allow_what': 'Autoriser pour {origin} : {name}',
  'peripherals.allow_ask': 'Autoriser {name} pour {origin} ?',
  'peripherals.allow_do': 'Autoriser',
  'peripherals.allow_text':
    'Les pages de {origin} peuvent alors le lire et lui envoyer des données, par {kind}.',
  'peripherals.allow_entry':
    'La nouvelle entrée vaut pour tout appareil {ids}, aussi pour un autre du même type.',
  'peripherals.allow_entry_usage':
    'La nouvelle entrée vaut pour tout appareil {ids} avec l’usage {usage}, aussi pour un autre du même type.',
  'peripherals.allow_kind': '{kind} est activé.',
  'peripherals.allow_origin': '{origin} s’ajoute aux pages qui peuvent utiliser des périphériques.',
  'peripherals.allow_other_origins': 'Les pages de {origins} peuvent l’utiliser aussi.',
  'peripherals.allow_others': 'Cela autorise aussi {names}.',
  'peripherals.allow_unused_one': '{count} autre entrée prend effet, pour un appareil qui n’est pas branché.',
  'peripherals.allow_unused_other':
    '{count} autres entrées prennent effet, pour des appareils qui ne sont pas branchés.',
  'peripherals.now_allowed': 'Les pages de {origin} peuvent utiliser {name}.',

  'peripherals.remove': 'Retirer',
  'peripherals.remove_what': 'Retirer l’entrée pour {name}',
  'peripherals.remove_ask': 'Retirer l’entrée pour {name} ?',
  'peripherals.remove_text':
    'Les pages ne peuvent plus l’utiliser, sauf si une autre entrée convient. Si une page l’a ouvert, il est fermé aussitôt.',
  'peripherals.remove_others': 'Cela vaut aussi pour {names}.',
  'peripherals.removed': 'L’entrée est retirée.',

  'peripherals.gone': 'Il n’est plus là. Rebranchez-le et réessayez.',
  'peripherals.changed': 'Les paramètres ont changé entre-temps. Fermez ceci et relisez ce qui est autorisé.',

  'peripherals.pages': 'Pages qui peuvent utiliser des périphériques',
  'peripherals.no_pages': 'Aucune page ne peut utiliser de périphériques.',
  'peripherals.displayed': 'Affichée maintenant',
  'peripherals.waiting':
    'La page d’attente est affichée. Pour autoriser un appareil ici, affichez la page qui en a besoin.',
  'peripherals.pages_hint': 'Chacune peut utiliser tout ce qui est autorisé.',
  'peripherals.settings': 'Aller aux paramètres',
};
