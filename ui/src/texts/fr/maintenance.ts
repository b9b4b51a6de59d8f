import type { maintenance as en } from '../en/maintenance.ts';

export const maintenance: Record<keyof typeof en, string> = {
  'maintenance.title': 'Maintenance',
  'maintenance.danger': 'Zone dangereuse',
  'maintenance.reboot': 'Redémarrer l’appareil',
  'maintenance.reboot_text':
    'Dure environ une minute. Les réglages qui attendent un redémarrage prennent effet. Rien n’est effacé.',
  'maintenance.reboot_question': 'Redémarrer l’appareil ?',
  'maintenance.reboot_happens':
    'L’écran est noir pendant une minute environ. Cette page attend et revient d’elle-même.',
  'maintenance.reboot_done':
    'L’appareil a redémarré et est revenu après {time}. La version {version} fonctionne.',
  'maintenance.shutdown': 'Éteindre l’appareil',
  'maintenance.shutdown_text': 'On ne peut pas le rallumer d’ici : quelqu’un doit aller sur place.',
  'maintenance.shutdown_question': 'Éteindre l’appareil ?',
  'maintenance.shutdown_happens':
    'L’écran devient noir et le reste. Pour rallumer, débranchez puis rebranchez l’alimentation.',
  'maintenance.reset': 'Rétablir les réglages d’usine',
  'maintenance.reset_short': 'Rétablir',
  'maintenance.reset_text': 'Efface tout ce qui a été réglé et enregistré. Cela ne peut pas être annulé.',
  'maintenance.reset_question': 'Tout effacer sur cet appareil ?',
  'maintenance.reset_happens':
    'L’appareil redémarre vide. Si cette page l’atteint par le Wi-Fi, il n’y revient pas : branchez le câble.',
  'maintenance.reset_word': 'Tapez le numéro de série de l’appareil',
  'maintenance.reset_done': 'L’appareil a été réinitialisé et est revenu après {time}.',
  'maintenance.deleted': 'Effacé',
  'maintenance.deleted_settings': 'Tous les réglages, avec le nom, les réseaux et les appareils associés',
  'maintenance.deleted_content': 'Paquets de contenu et images',
  'maintenance.deleted_certificates': 'Certificats',
  'maintenance.deleted_pages': 'Ce que les pages ont enregistré, avec leurs connexions',
  'maintenance.deleted_log': 'Le journal',
  'maintenance.kept': 'Conservé',
  'maintenance.kept_versions': 'Les deux versions du micrologiciel',
  'maintenance.kept_serial': 'Le numéro de série',
  'maintenance.kept_authority': 'De qui les mises à jour sont acceptées',
  'maintenance.accepted': 'Accepté',
  'maintenance.goes_down': 'S’arrête',
  'maintenance.comes_back': 'Démarre',
  'maintenance.not_gone':
    'L’appareil l’a accepté, mais il fonctionne encore. Réessayez ; si cela n’aide pas, débranchez puis rebranchez l’alimentation.',
  'maintenance.not_back':
    'L’appareil n’est pas revenu en un quart d’heure. Vérifiez son alimentation et son réseau ; son adresse a peut-être changé.',
  'maintenance.not_restarted': 'Seule la connexion a été perdue : l’appareil n’a pas redémarré. Réessayez.',
  'maintenance.browser': 'Navigateur de l’appareil',
  'maintenance.browser_done': 'Le navigateur a redémarré, et l’écran montre la même chose qu’avant.',
  'maintenance.clear_data':
    'Les cookies, les connexions et ce que les pages ont enregistré s’effacent dans la vue',
  'maintenance.diagnostics': 'Diagnostic',
  'maintenance.diagnostics_text':
    'Un fichier avec l’état de l’appareil, ses réglages sans mots de passe et son journal d’un jour : pour qui cherche la cause d’un problème. Il contient des adresses de pages et des noms de réseaux.',
  'maintenance.diagnostics_picture': 'Avec une image de ce que montre l’écran',
  'maintenance.diagnostics_collecting': 'Collecte',
  'maintenance.diagnostics_get': 'Télécharger',
  'maintenance.diagnostics_done': 'Le fichier est dans les téléchargements de ce navigateur.',
  'maintenance.pictures': 'Logo',
  'maintenance.pictures_text':
    'Ce que montre l’écran tant qu’il n’y a pas de page. Les images sont centrées, et réduites si elles ne tiennent pas.',
  'maintenance.picture_boot': 'Au démarrage et sur la page d’attente',
  'maintenance.picture_shutdown': 'À l’arrêt',
  'maintenance.picture_drop': 'Déposez une image ici : {what}',
  'maintenance.picture_hint': 'PNG, 4 Mo au plus',
  'maintenance.picture_not_png':
    'Ce fichier n’est pas une image PNG. Enregistrez-le en PNG, puis choisissez-le encore une fois.',
  'maintenance.picture_too_large':
    'Cette image fait plus de 4 Mo. Réduisez-la, puis choisissez-la encore une fois.',
  'maintenance.picture_too_many_pixels':
    'Cette image a trop de pixels : 8192 par côté et 33 millions en tout au plus. Réduisez-la, puis choisissez-la encore une fois.',
  'maintenance.picture_remove': 'Retirer',
  'maintenance.picture_remove_what': 'Retirer l’image : {what}',
  'maintenance.picture_use': 'Utiliser cette image',
  'maintenance.picture_use_what': 'Définir l’image : {what}',
  'maintenance.picture_happens': 'Elle remplace l’image d’avant. « Retirer » remet l’image intégrée.',
  'maintenance.picture_done': 'L’appareil a maintenant l’image.',
  'maintenance.picture_removed': 'L’image a été retirée.',
};
