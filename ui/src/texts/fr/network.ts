import type { network as en } from '../en/network.ts';

export const network: Record<keyof typeof en, string> = {
  'network.title': 'Réseau',
  'network.yours': 'Votre connexion',
  'network.address': 'Adresse dans le navigateur',
  'network.over': 'Interface',
  'network.over_local':
    'Une adresse de votre propre ordinateur : l’appareil y fonctionne, ou un port est redirigé vers l’appareil.',
  'network.over_unknown':
    'L’adresse dans le navigateur ne permet pas de le savoir. Ouvrez l’appareil par une de ses adresses IP pour le voir.',
  'network.encryption': 'Chiffrement',
  'network.encrypted': 'Chiffrée (HTTPS)',
  'network.not_encrypted': 'Non chiffrée (HTTP)',
  'network.certificates': 'Certificats',
  'network.safe': 'Rien sur cette page ne coupe votre connexion à l’appareil.',
  'network.safe_https': 'Elle s’arrête si le certificat de l’appareil est supprimé.',

  'network.interfaces': 'Interfaces de l’appareil',
  'network.none': 'Aucune interface',
  'network.none_do': 'Branchez un câble, ou activez le Wi-Fi.',
  'network.more_one': '{count} autre n’est pas affichée.',
  'network.more_other': '{count} autres ne sont pas affichées.',
  'network.kind_cable': 'Câble vers votre ordinateur',
  'network.kind_ethernet': 'Ethernet',
  'network.kind_wifi': 'Wi-Fi',
  'network.kind_modem': 'Réseau mobile',
  'network.kind_virtual': 'Virtuelle ou autre',
  'network.own': 'Votre connexion',
  'network.has_address': 'A une adresse',
  'network.link_local': 'Adresse locale seule',
  'network.link_local_do': 'Aucun routeur n’a donné d’adresse. Vérifiez le routeur (DHCP) et le câble.',
  'network.no_address': 'Aucune adresse',

  'network.access': 'Accès à votre ordinateur',
  'network.host_services': 'Les pages peuvent utiliser les services de l’ordinateur au bout du câble',
  'network.host_services_hint':
    'Nécessaire pour les pages servies par cet ordinateur et pour un proxy sur celui-ci. Sinon, laissez désactivé.',
  'network.debugging': 'Inspecteur web sur le port 9222',
  'network.debugging_hint':
    'Pour les développeurs. Il n’a pas de mot de passe : ne l’activez que le temps nécessaire. Le navigateur redémarre et l’écran est noir quelques secondes.',
  'network.not_here':
    'Cet appareil est un ordinateur ordinaire : le réglage est enregistré, mais n’y a pas d’effet.',

  'network.proxy': 'Proxy',
  'network.proxy_mode': 'Comment les pages accèdent à internet',
  'network.proxy_none': 'Directement',
  'network.proxy_manual': 'Par un proxy',
  'network.proxy_pac': 'Selon un script (PAC)',
  'network.proxy_hint': 'Un changement redémarre le navigateur : l’écran est noir quelques secondes.',
  'network.for_http': 'Proxy pour les pages http',
  'network.for_https': 'Proxy pour les pages https',
  'network.for_hint': 'Vide : sans proxy',
  'network.for_missing': 'Saisissez l’adresse d’un proxy ici ou dans le champ suivant.',
  'network.except': 'Joint sans le proxy',
  'network.except_hint': 'Hôtes, domaines, adresses ou réseaux, séparés par des espaces',
  'network.script': 'Adresse du script',
  'network.script_missing': 'Saisissez l’adresse du script.',
  'network.discard': 'Annuler les modifications',
  'network.saved': 'Enregistré',

  'network.time': 'Serveurs de temps',
  'network.servers': 'Serveurs',
  'network.servers_hint': 'Un par ligne, {most} au plus. Vide : ceux du micrologiciel.',
  'network.servers_many': 'Il y en a plus de {most}. Retirez-en.',
  'network.more_settings': 'Tous les réglages',
};
