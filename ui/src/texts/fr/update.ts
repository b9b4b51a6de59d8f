import type { update as en } from '../en/update.ts';

export const update: Record<keyof typeof en, string> = {
  'update.title': 'Mise à jour',
  'update.install': 'Installer une mise à jour',
  'update.version_now': 'Version en marche',
  'update.absent_do':
    'Un conteneur, ou un ordinateur qui n’est pas l’appareil lui-même, reçoit une nouvelle version là où il est démarré.',
  'update.step_send': 'Envoyer',
  'update.step_verify': 'Vérifier',
  'update.step_write': 'Écrire',
  'update.step_restart': 'Redémarrer',
  'update.step_confirm': 'Confirmer',
  'update.sending': 'Envoi du paquet',
  'update.sent': '{sent} sur {total}',
  'update.speed': '{speed} par seconde',
  'update.rest': 'encore {time}',
  'update.now_send': 'Le paquet arrive',
  'update.now_verify': 'L’appareil vérifie la signature et le contenu',
  'update.now_write': 'L’appareil écrit l’autre système',
  'update.meanwhile': 'L’écran continue pendant ce temps. Cette page peut être fermée.',
  'update.by_others':
    'Commencé d’ailleurs : depuis une autre page, par un programme ou par le serveur de mises à jour.',
  'update.pending': 'La version {version} est installée. Elle fonctionnera après un redémarrage.',
  'update.restart': 'Redémarrer maintenant',
  'update.pending_later': 'Cela peut attendre : jusque-là, c’est toujours la version actuelle qui démarre.',
  'update.stage_asked': 'L’appareil s’arrête.',
  'update.stage_away': 'L’appareil démarre la nouvelle version. Cette page l’attend.',
  'update.stage_trial':
    'L’appareil est revenu. La nouvelle version est confirmée dès qu’elle a montré qu’elle fonctionne ; cela prend jusqu’à cinq minutes.',
  'update.drop': 'Déposez un paquet de mise à jour ici',
  'update.drop_another': 'Déposez un autre paquet ici pour remplacer la mise à jour installée',
  'update.drop_hint': 'Un fichier dont le nom finit par .raucb. Rien n’est envoyé avant votre accord.',
  'update.file': 'Fichier',
  'update.file_size': 'Taille',
  'update.file_version': 'Version dans le fichier',
  'update.file_board': 'Pour la carte',
  'update.file_unknown': 'Le fichier ne le dit pas',
  'update.file_not_bundle':
    'Ce fichier n’est pas un paquet de mise à jour. Choisissez un fichier dont le nom finit par .raucb.',
  'update.file_cut_off': 'Une partie de ce paquet manque. Téléchargez-le ou copiez-le encore une fois.',
  'update.file_unreadable':
    'Le navigateur ne peut pas lire ce fichier. Copiez-le sur cet ordinateur, puis choisissez-le encore une fois.',
  'update.restart_after': 'Redémarrer dès que c’est installé',
  'update.restart_after_hint':
    'L’écran est alors noir pendant une minute environ. Sinon, vous choisissez le moment plus tard.',
  'update.install_now': 'Installer',
  'update.another_file': 'Autre fichier',
  'update.failed_sending': 'Le paquet n’est pas arrivé en entier. Vérifiez la connexion, puis réessayez.',
  'update.failed_bundle':
    'L’appareil n’accepte pas ce paquet : il est abîmé, pour une autre carte, plus ancien que la version en marche ou signé par quelqu’un d’autre. Utilisez-en un fait pour cet appareil.',
  'update.failed_conflict':
    'Une autre mise à jour est en cours de réception, d’installation ou d’essai. Attendez la fin, puis réessayez.',
  'update.failed_storage':
    'Il n’y a pas de place pour le paquet. Supprimez des contenus inutiles, puis réessayez.',
  'update.failed_interrupted':
    'L’installation a été interrompue, ou le stockage ne peut pas être écrit. La version en marche n’a pas changé. Réessayez ; si cela échoue encore, le stockage est peut-être usé.',
  'update.failed_internal':
    'L’installation a échoué. La version en marche n’a pas changé. La raison est dans le journal de l’appareil.',
  'update.not_gone':
    'L’appareil a accepté le redémarrage, mais il fonctionne encore. Appuyez encore une fois ; si cela n’aide pas, éteignez-le et rallumez-le.',
  'update.not_back':
    'L’appareil n’est pas revenu en un quart d’heure. Vérifiez son alimentation et son réseau ; son adresse a peut-être changé.',
  'update.now_runs': 'La mise à jour est terminée : la version {version} fonctionne et est confirmée.',
  'update.trial': 'Pas encore confirmée',
  'update.trial_text':
    'La version {version} a démarré et doit montrer qu’elle fonctionne : que son stockage peut être écrit et que quelque chose apparaît à l’écran.',
  'update.trial_do':
    'Il n’y a rien à faire. Une mise à jour qui ne l’a pas montré en cinq minutes est abandonnée, et l’appareil revient de lui-même à la version d’avant.',
  'update.slot': 'Système {name}',
  'update.active': 'Utilisé',
  'update.active_yes': 'Oui',
  'update.active_no': 'Non',
  'update.tried': 'Mise à jour conclue',
  'update.no_version': 'Pas de système complet',
  'update.slot_runs': 'En marche, bon',
  'update.slot_runs_text': 'Ce démarrage a montré qu’il fonctionne.',
  'update.slot_tried': 'En marche, pas encore confirmé',
  'update.slot_tried_text': 'Il est considéré comme bon dès qu’il a montré qu’il fonctionne.',
  'update.slot_written': 'En cours d’écriture',
  'update.slot_written_text': 'Une mise à jour est en cours d’installation ici.',
  'update.slot_pending': 'Installé, pas démarré',
  'update.slot_pending_text': 'Il démarre après « Redémarrer maintenant ».',
  'update.slot_ready': 'Prêt, bon',
  'update.slot_ready_text': 'L’appareil peut y revenir. La prochaine mise à jour est écrite ici.',
  'update.slot_incomplete': 'Mauvais, incomplet',
  'update.slot_incomplete_text':
    'Il contient une partie d’une mise à jour et ne peut pas démarrer. Installez encore une mise à jour.',
  'update.slot_broken': 'Mauvais, ne démarre pas',
  'update.slot_broken_text':
    'L’appareil l’a abandonné. Installez une mise à jour pour qu’un retour soit de nouveau possible.',
  'update.slot_empty': 'Inconnu',
  'update.slot_empty_text': 'Son contenu n’est pas connu.',
  'update.slot_starting': 'Va démarrer',
  'update.slot_starting_text': 'L’appareil redémarre dans ce système.',
  'update.result': 'Dernière mise à jour',
  'update.no_result': 'Aucune mise à jour démarrée',
  'update.no_result_do':
    'On voit ici comment une mise à jour s’est terminée, aussi après un retour à la version d’avant.',
  'update.outcome_success': 'Réussie',
  'update.outcome_rolled_back': 'Annulée',
  'update.outcome_failed': 'Pas démarrée',
  'update.result_success':
    'La version {version} a démarré depuis le système {slot} et a montré qu’elle fonctionne.',
  'update.result_rolled_back':
    'La version {version} du système {slot} n’a pas fonctionné. L’appareil est revenu de lui-même à la version d’avant.',
  'update.result_failed':
    'La version {version} du système {slot} n’a pas été démarrée. Elle est toujours installée.',
  'update.version_unknown': 'inconnue',
  'update.by_fleet': 'pour le serveur de mises à jour',
  'update.reason_kernel_panic': 'Son noyau s’est arrêté.',
  'update.reason_kernel_panic_do':
    'Signalez-le, avec les mots ci-dessous, à ceux qui font les mises à jour ; la réinstaller n’aide pas.',
  'update.reason_watchdog': 'Elle ne répondait plus, et le chien de garde a redémarré l’appareil.',
  'update.reason_watchdog_do':
    'Réessayez une fois ; si cela se reproduit, signalez-le à ceux qui font les mises à jour.',
  'update.reason_boot_failed': 'Elle n’a pas démarré en trois essais.',
  'update.reason_boot_failed_do': 'Vérifiez que le paquet est pour cet appareil, et réinstallez-le.',
  'update.reason_unhealthy': 'Elle a démarré, mais n’a pas montré en cinq minutes qu’elle fonctionne.',
  'update.reason_unhealthy_do':
    'Les mots ci-dessous disent ce qui était attendu. Vérifiez l’écran et le câble, puis réinstallez-la.',
  'update.reason_not_started': 'Le courant a été coupé au moment du redémarrage.',
  'update.reason_not_started_do': 'Appuyez de nouveau sur « Redémarrer maintenant ».',
  'update.fleet': 'Serveur de mises à jour',
  'update.fleet_off': 'Pas de serveur de mises à jour',
  'update.fleet_off_do':
    'Un serveur hawkBit peut mettre à jour beaucoup d’appareils. Son adresse et un jeton se règlent dans les paramètres, sous update.',
  'update.fleet_connection': 'Connexion',
  'update.fleet_connected': 'Le serveur a répondu',
  'update.fleet_not_connected': 'Le serveur ne répond pas',
  'update.fleet_last_poll': 'Dernière demande',
  'update.fleet_next_poll': 'Prochaine demande',
  'update.fleet_action': 'Mise à jour (numéro)',
  'update.never': 'Pas encore',
  'update.fleet_first': 'Le serveur n’a pas encore été interrogé.',
  'update.fleet_lost': 'Le serveur ne répond pas. L’appareil continue à demander.',
  'update.fleet_idle': 'Rien à installer',
  'update.fleet_waiting':
    'La version {version} attend : que le serveur permette le téléchargement, ou le prochain essai.',
  'update.fleet_installing': 'La version {version} est en cours d’installation.',
  'update.fleet_installed':
    'La version {version} est installée et attend que le serveur permette le redémarrage.',
  'update.fleet_applying': 'L’appareil redémarre dans la version {version}, ou attend sa confirmation.',
  'update.fleet_reporting': 'La version {version} est conclue. Le serveur ne le sait pas encore.',
  'update.fleet_network': 'Le serveur est injoignable',
  'update.fleet_network_do':
    'Vérifiez son adresse dans les paramètres et le réseau de l’appareil. Un nouvel essai se fait de lui-même.',
  'update.fleet_unauthorized': 'Le serveur n’accepte pas le jeton',
  'update.fleet_unauthorized_do': 'Indiquez dans les paramètres le jeton de cet appareil ou de son groupe.',
  'update.fleet_refused': 'Le serveur refuse l’appareil',
  'update.fleet_refused_do':
    'Vérifiez le locataire et le nom de l’appareil dans les paramètres, et que le serveur connaît l’appareil.',
  'update.fleet_server_error': 'Le serveur a une panne',
  'update.fleet_server_error_do': 'Regardez le journal du serveur. L’appareil continue à demander.',
  'update.fleet_invalid_answer': 'La réponse du serveur est inutilisable',
  'update.fleet_invalid_answer_do':
    'Vérifiez que l’adresse est celle d’un serveur hawkBit. Une mise à jour a exactement un fichier, dont le nom finit par .raucb.',
  'update.fleet_install': 'La mise à jour n’est pas encore installée',
  'update.fleet_install_do':
    'L’appareil réessaie de lui-même. Les mots ci-dessous disent ce qui l’a empêché.',
  'update.fleet_storage': 'L’appareil ne peut pas enregistrer où il en est',
  'update.fleet_storage_do':
    'Vérifiez l’espace libre ; si le stockage est en lecture seule, il est peut-être usé.',
};
