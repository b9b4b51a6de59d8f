import type { content as en } from '../en/content.ts';

export const content: Record<keyof typeof en, string> = {
  'content.title': 'Inhalte',
  'content.upload_title': 'Inhalt hinzufügen',
  'content.drop': 'Einen Ordner oder ein Zip-Archiv hierher ziehen',
  'content.drop_hint':
    'Nötig ist eine Seite index.html, die zuerst gezeigt wird. Ein Ordner wird von diesem Browser gepackt.',
  'content.choose_folder': 'Ordner auswählen',
  'content.reading': 'Die Dateien werden angesehen',
  'content.nothing':
    'Darin sind keine Dateien. Wählen Sie einen Ordner mit einer Seite index.html oder ein Zip-Archiv.',
  'content.unreadable':
    'Dieser Browser kann {path} nicht lesen. Prüfen Sie, ob es die Datei noch gibt und ob sie geöffnet werden darf, und wählen Sie sie noch einmal.',
  'content.too_many':
    'Der Ordner hat zu viele Dateien, um von diesem Browser gepackt zu werden. Packen Sie ihn mit einem Zip-Programm, und wählen Sie das Archiv.',
  'content.too_large':
    'Der Ordner ist zu groß, um von diesem Browser gepackt zu werden. Packen Sie ihn mit einem Zip-Programm, und wählen Sie das Archiv.',
  'content.chosen': 'Ausgewählter Inhalt',
  'content.ready': 'Bereit zum Hochladen',
  'content.not_ready': 'Das kann noch nicht hochgeladen werden',
  'content.some_files': 'Dateien',
  'content.files_one': '{count} Datei',
  'content.files_other': '{count} Dateien',
  'content.left_out_one': '{count} versteckte Datei bleibt weg',
  'content.left_out_other': '{count} versteckte Dateien bleiben weg',
  'content.problem_inside':
    'Die Seite index.html liegt nicht ganz oben, sondern in einem Ordner. Nehmen Sie diesen Ordner allein, wenn er alles hat, was die Seite braucht.',
  'content.use_folder': 'Den Ordner {folder} nehmen',
  'content.problem_inside_zip':
    'Die Seite index.html liegt im Archiv nicht ganz oben, sondern im Ordner „{what}“. Entpacken Sie das Archiv und ziehen Sie diesen Ordner hierher, oder packen Sie den Inhalt des Ordners ohne den Ordner selbst.',
  'content.problem_spelled': 'Die erste Seite heißt „{what}“. Nennen Sie sie index.html, in Kleinbuchstaben.',
  'content.problem_missing':
    'Es gibt keine Seite index.html. Die Seite, die zuerst gezeigt wird, braucht diesen Namen, und sie muss ganz oben liegen, nicht in einem Ordner.',
  'content.problem_path':
    'Das Gerät nimmt den Namen „{what}“ nicht an. Ändern Sie ihn, ohne Backslash, Laufwerksbuchstaben und unsichtbare Zeichen.',
  'content.problem_long': 'Der Pfad „{what}“ ist zu lang oder hat zu viele Ordner. Kürzen Sie ihn.',
  'content.problem_twins':
    '„{what}“ gibt es zweimal, mit kleinen und mit großen Buchstaben. Ändern Sie einen der beiden Namen.',
  'content.problem_no_zip': 'Das ist kein Zip-Archiv, oder es ist beschädigt. Packen Sie es neu.',
  'content.problem_encrypted':
    'Das Archiv ist durch ein Passwort geschützt. Packen Sie es neu, ohne Passwort.',
  'content.name': 'Name des Pakets',
  'content.name_hint': '1 bis 63 Kleinbuchstaben, Ziffern und Bindestriche',
  'content.name_invalid':
    'Möglich sind 1 bis 63 Kleinbuchstaben ohne Umlaute, Ziffern und Bindestriche. Ein Bindestrich kann nicht am Anfang oder Ende stehen.',
  'content.name_taken': 'Das Gerät hat schon ein Paket mit diesem Namen. Es wird ersetzt.',
  'content.upload': 'Hochladen',
  'content.replace': 'Ersetzen',
  'content.other': 'Etwas anderes auswählen',
  'content.replace_title': '{name} ersetzen?',
  'content.replace_text':
    'Das gespeicherte Paket bleibt, bis das neue geprüft ist. Danach lässt es sich nicht zurückholen.',
  'content.replace_active':
    'Es ist auf dem Bildschirm. Das neue wird dort geladen, sobald es gespeichert ist.',

  'content.uploading': '{name} wird hochgeladen',
  'content.steps': 'Schritte des Hochladens',
  'content.step_packing': 'Packen',
  'content.step_sending': 'Senden',
  'content.step_checking': 'Prüfen und speichern',
  'content.stage_packing': 'Wird in diesem Browser gepackt',
  'content.stage_sending': 'Wird an das Gerät gesendet',
  'content.stage_checking': 'Das Gerät prüft und speichert das Paket',
  'content.amount': '{done} von {total}',
  'content.speed': '{size}/s',
  'content.left': 'noch {time}',
  'content.goes_on':
    'Andere Ansichten können inzwischen geöffnet werden. Diese Seite des Browsers muss offen bleiben.',
  'content.stored': '{name} ist auf dem Gerät gespeichert',
  'content.cancelled': 'Abgebrochen. Es wurde nichts gespeichert.',
  'content.no_space':
    'Nötig sind {needed}, frei sind nur {free}. Löschen Sie Pakete, die nicht gebraucht werden, und versuchen Sie es noch einmal.',
  'content.lost':
    'Das Gerät wurde neu gestartet, bevor das Paket gespeichert war. Laden Sie es noch einmal hoch.',

  'content.list': 'Pakete auf dem Gerät',
  'content.empty_do':
    'Ziehen Sie oben einen Ordner oder ein Zip-Archiv hinein. Der Inhalt wird auf dem Gerät gespeichert und ohne Netzwerk gezeigt.',
  'content.taken_one': '{count} Paket, {size}',
  'content.taken_other': '{count} Pakete, {size}',
  'content.boots': 'Beim Start gezeigt',
  'content.boot': 'Beim Start zeigen',
  'content.unboot': 'Beim Start nicht zeigen',
  'content.boot_resumes':
    'Das Gerät versucht zuerst, das zuletzt Gezeigte wieder zu zeigen, denn die Einstellung display.resume_on_boot ist an.',
  'content.boot_missing': 'Das Paket {name} soll beim Start gezeigt werden, aber das Gerät hat es nicht.',
  'content.boot_missing_do':
    'Stattdessen wird die Warteseite gezeigt. Laden Sie ein Paket mit diesem Namen hoch, oder entfernen Sie die Einstellung.',
  'content.checksum': 'Prüfsumme (SHA-256)',
  'content.check': 'Prüfen',
  'content.whole': 'Unbeschädigt',
  'content.damaged': 'Beschädigt',
  'content.damaged_do': 'Laden Sie es noch einmal hoch, oder löschen Sie es.',
  'content.delete': 'Löschen',
  'content.deleted': '{name} wurde gelöscht',
  'content.delete_title': '{name} löschen?',
  'content.delete_text':
    'Es wird vom Gerät entfernt und lässt sich nicht zurückholen. Was seine Seite im Browser des Geräts gespeichert hat, bleibt erhalten.',
  'content.delete_boot':
    'Es wird beim Start gezeigt. Ohne das Paket zeigt das Gerät stattdessen die Warteseite.',
  'content.delete_active':
    'Es ist auf dem Bildschirm und kann deshalb nicht gelöscht werden. Zeigen Sie zuerst etwas anderes.',
};
