import type { content as en } from '../en/content.ts';

export const content: Record<keyof typeof en, string> = {
  'content.title': 'Contenu',
  'content.upload_title': 'Ajouter du contenu',
  'content.drop': 'Déposez ici un dossier ou une archive zip',
  'content.drop_hint':
    'Il faut une page index.html, qui est affichée en premier. Un dossier est compressé par ce navigateur.',
  'content.choose_folder': 'Choisir un dossier',
  'content.reading': 'Examen des fichiers',
  'content.nothing':
    'Il n’y a aucun fichier. Choisissez un dossier avec une page index.html, ou une archive zip.',
  'content.unreadable':
    'Ce navigateur ne peut pas lire {path}. Vérifiez que le fichier existe encore et qu’il peut être ouvert, puis choisissez-le de nouveau.',
  'content.too_many':
    'Le dossier a trop de fichiers pour être compressé par ce navigateur. Compressez-le avec un programme zip, et choisissez l’archive.',
  'content.too_large':
    'Le dossier est trop grand pour être compressé par ce navigateur. Compressez-le avec un programme zip, et choisissez l’archive.',
  'content.chosen': 'Contenu choisi',
  'content.ready': 'Prêt à téléverser',
  'content.not_ready': 'Cela ne peut pas encore être téléversé',
  'content.some_files': 'Fichiers',
  'content.files_one': '{count} fichier',
  'content.files_other': '{count} fichiers',
  'content.left_out_one': '{count} fichier caché est laissé de côté',
  'content.left_out_other': '{count} fichiers cachés sont laissés de côté',
  'content.problem_inside':
    'La page index.html n’est pas à la racine, mais dans un dossier. Utilisez ce dossier seul, s’il contient tout ce qu’il faut à la page.',
  'content.use_folder': 'Utiliser le dossier {folder}',
  'content.problem_inside_zip':
    'La page index.html n’est pas à la racine de l’archive, mais dans son dossier « {what} ». Extrayez l’archive et déposez ce dossier ici, ou compressez le contenu du dossier sans le dossier lui-même.',
  'content.problem_spelled':
    'La première page s’appelle « {what} ». Renommez-la en index.html, en minuscules.',
  'content.problem_missing':
    'Il n’y a pas de page index.html. La page affichée en premier doit porter ce nom et se trouver à la racine, pas dans un dossier.',
  'content.problem_path':
    'L’appareil n’accepte pas le nom « {what} ». Renommez-le sans barre oblique inverse, lettre de lecteur ni caractère invisible.',
  'content.problem_long': 'Le chemin « {what} » est trop long, ou a trop de dossiers. Raccourcissez-le.',
  'content.problem_twins':
    '« {what} » existe deux fois, en minuscules et en majuscules. Renommez l’un des deux.',
  'content.problem_no_zip': 'Ce n’est pas une archive zip, ou elle est endommagée. Refaites-la.',
  'content.problem_encrypted': 'L’archive est protégée par un mot de passe. Refaites-la sans mot de passe.',
  'content.name': 'Nom du paquet',
  'content.name_hint': 'De 1 à 63 minuscules, chiffres et traits d’union',
  'content.name_invalid':
    'Utilisez de 1 à 63 minuscules sans accent, chiffres et traits d’union. Un trait d’union ne peut être ni au début ni à la fin.',
  'content.name_taken': 'L’appareil a déjà un paquet de ce nom. Il sera remplacé.',
  'content.upload': 'Téléverser',
  'content.replace': 'Remplacer',
  'content.other': 'Choisir autre chose',
  'content.replace_title': 'Remplacer {name} ?',
  'content.replace_text':
    'Le paquet enregistré reste jusqu’à ce que le nouveau soit vérifié. Ensuite, il ne peut plus être récupéré.',
  'content.replace_active': 'Il est à l’écran. Le nouveau y est chargé dès qu’il est enregistré.',

  'content.uploading': 'Téléversement de {name}',
  'content.steps': 'Étapes du téléversement',
  'content.step_packing': 'Compresser',
  'content.step_sending': 'Envoyer',
  'content.step_checking': 'Vérifier et enregistrer',
  'content.stage_packing': 'Compression dans ce navigateur',
  'content.stage_sending': 'Envoi à l’appareil',
  'content.stage_checking': 'L’appareil vérifie et enregistre le paquet',
  'content.amount': '{done} sur {total}',
  'content.speed': '{size}/s',
  'content.left': 'encore {time}',
  'content.goes_on':
    'D’autres vues peuvent être ouvertes entre-temps. Gardez cette page du navigateur ouverte.',
  'content.stored': '{name} est enregistré sur l’appareil',
  'content.cancelled': 'Annulé. Rien n’a été enregistré.',
  'content.no_space':
    'Il faut {needed}, et seulement {free} sont libres. Supprimez les paquets inutiles, puis réessayez.',
  'content.lost': 'L’appareil a redémarré avant que le paquet soit enregistré. Téléversez-le de nouveau.',

  'content.list': 'Paquets sur l’appareil',
  'content.empty_do':
    'Déposez ci-dessus un dossier ou une archive zip. Le contenu est enregistré sur l’appareil et affiché sans réseau.',
  'content.taken_one': '{count} paquet, {size}',
  'content.taken_other': '{count} paquets, {size}',
  'content.boots': 'Affiché au démarrage',
  'content.boot': 'Afficher au démarrage',
  'content.unboot': 'Ne pas afficher au démarrage',
  'content.boot_resumes':
    'L’appareil essaie d’abord d’afficher de nouveau ce qui l’était en dernier, car le réglage display.resume_on_boot est activé.',
  'content.boot_missing': 'Le paquet {name} doit être affiché au démarrage, mais l’appareil ne l’a pas.',
  'content.boot_missing_do':
    'La page d’attente est affichée à sa place. Téléversez un paquet de ce nom, ou supprimez le réglage.',
  'content.checksum': 'Somme de contrôle (SHA-256)',
  'content.check': 'Vérifier',
  'content.whole': 'Intact',
  'content.damaged': 'Endommagé',
  'content.damaged_do': 'Téléversez-le de nouveau, ou supprimez-le.',
  'content.delete': 'Supprimer',
  'content.deleted': '{name} a été supprimé',
  'content.delete_title': 'Supprimer {name} ?',
  'content.delete_text':
    'Il est retiré de l’appareil et ne peut plus être récupéré. Ce que sa page a enregistré dans le navigateur de l’appareil est conservé.',
  'content.delete_boot':
    'Il est affiché au démarrage. Sans lui, l’appareil affiche la page d’attente à la place.',
  'content.delete_active':
    'Il est à l’écran et ne peut donc pas être supprimé. Affichez d’abord autre chose.',
};
