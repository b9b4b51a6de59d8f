import type { events as en } from '../en/events.ts';

export const events: Record<keyof typeof en, string> = {
  'events.title': 'Événements',
  'events.live': 'Ce qui se passe maintenant',
  'events.about':
    'L’appareil signale ce qui change, au moment où cela se produit. Rien n’est enregistré : seul ce qui se passe pendant que cette vue est ouverte est listé. Les mots de passe sont masqués.',
  'events.topic': 'Sujet',
  'events.all_topics': 'Tous les sujets',
  'events.chosen_one': 'Sujets : {count} suivi',
  'events.chosen_other': 'Sujets : {count} suivis',
  'events.usual': 'Les habituels',
  'events.all': 'Tous',
  'events.none': 'Aucun',
  'events.copy_frame': 'Copier l’abonnement',
  'events.empty': 'Rien ne s’est encore passé',
  'events.empty_do': 'Changez quelque chose, par exemple la page affichée, ou suivez plus de sujets.',
  'events.no_topics': 'Aucun sujet n’est suivi',
  'events.no_topics_do': 'Choisissez des sujets ci-dessus.',
  'events.group_screen': 'Écran',
  'events.group_page': 'Page',
  'events.group_connections': 'Connexions',
  'events.group_device': 'Appareil',
  'events.topic_display_state': 'Ce que l’écran affiche, s’il charge, et pourquoi il a échoué.',
  'events.topic_splash_changed': 'L’image du démarrage ou de l’arrêt a été changée.',
  'events.topic_input_raw':
    'Chaque toucher et chaque clic à l’écran. Beaucoup par seconde quand quelqu’un s’en sert.',
  'events.topic_page_channel': 'La page a ouvert ou fermé son canal de messages.',
  'events.topic_page_message':
    'Les messages de la page à ses hôtes. La page attend que chaque hôte les ait lus.',
  'events.topic_page_console':
    'La console JavaScript de la page. L’appareil ne la recueille que pour ceux qui la suivent.',
  'events.topic_network_changed': 'Le nom d’hôte, les interfaces ou les adresses ont changé.',
  'events.topic_wifi_changed':
    'Le Wi-Fi a été activé ou coupé, s’est connecté, a perdu son réseau ou a fini une recherche.',
  'events.topic_bluetooth_changed': 'L’adaptateur Bluetooth ou l’un de ses appareils a changé.',
  'events.topic_peripherals_changed':
    'Un périphérique a été branché ou débranché, ouvert ou fermé par une page, ou son autorisation a changé.',
  'events.topic_nfc_tag': 'Un tag est arrivé près d’un lecteur.',
  'events.topic_nfc_tag_removed': 'Le tag a quitté le lecteur.',
  'events.topic_nfc_reader_connected': 'Un lecteur a été branché.',
  'events.topic_nfc_reader_disconnected': 'Un lecteur a été débranché.',
  'events.topic_operation': 'L’avancement des envois et des installations.',
  'events.topic_update_changed':
    'Les deux systèmes de l’appareil : une installation, son démarrage ou sa confirmation.',
  'events.topic_certificates_changed': 'Un certificat a été enregistré, remplacé ou supprimé.',
  'events.topic_config_changed': 'Des réglages ont changé, avec tous les réglages actuels.',
  'events.topic_health': 'Mémoire, stockage, température et plus, toutes les quelques secondes.',
  'events.topic_log': 'Les nouvelles lignes du journal. Il peut y en avoir beaucoup.',
};
