import type { settings as en } from '../en/settings.ts';

export const settings: Record<keyof typeof en, string> = {
  'settings.title': 'Einstellungen',
  'settings.view': 'Was gezeigt wird',
  'settings.tab_fields': 'Einstellungen',
  'settings.tab_document': 'JSON',
  'settings.tab_files': 'Export und Import',
  'settings.schema_unreadable':
    'Diese Seite kann die Liste der Einstellungen dieser Firmware nicht lesen. Bitte die Seite neu laden.',

  'settings.search': 'Suchen',
  'settings.search_hint': 'In Namen und Beschreibungen, die englisch sind',
  'settings.filter': 'Nur diese',
  'settings.filter_all': 'Alle',
  'settings.filter_changed': 'Geändert',
  'settings.filter_unsaved': 'Ungespeichert',
  'settings.none_found': 'Keine Einstellung passt',
  'settings.none_found_do': 'Andere Wörter benutzen oder alle Einstellungen zeigen.',
  'settings.show_all': 'Alle Einstellungen zeigen',
  'settings.count_one': '{count} Einstellung',
  'settings.count_other': '{count} Einstellungen',
  'settings.count_changed_one': '{count} geändert',
  'settings.count_changed_other': '{count} geändert',

  'settings.group_device': 'Gerät',
  'settings.group_display': 'Bildschirm',
  'settings.group_browser': 'Browser',
  'settings.group_proxy': 'Proxy',
  'settings.group_audio': 'Ton',
  'settings.group_update': 'Aktualisierungen',
  'settings.group_input': 'Tastatur und Fernbedienung',
  'settings.group_nfc': 'NFC',
  'settings.group_wifi': 'WLAN',
  'settings.group_bluetooth': 'Bluetooth',
  'settings.group_devices': 'Peripherie für Seiten',
  'settings.group_ui': 'Diese Web-App',

  'settings.now': 'Wirkt sofort',
  'settings.after_restart': 'Nach einem Neustart',
  'settings.partly': 'Teils nach einem Neustart',
  'settings.changed': 'Geändert',
  'settings.not_saved': 'Nicht gespeichert',
  'settings.default': 'Standard: {value}',
  'settings.on': 'an',
  'settings.off': 'aus',
  'settings.none': 'Nicht gesetzt',
  'settings.empty': 'leer',
  'settings.secret': '(verborgen)',
  'settings.own': 'Eigener Wert',
  'settings.own_of': 'Eigener Wert von {what}',
  'settings.range': 'Von {min} bis {max}',
  'settings.lines_hint': 'Pro Zeile eines',
  'settings.lines_values': 'Pro Zeile eines von: {values}',
  'settings.json_hint': 'Als JSON; ein Beispiel steht in den Einzelheiten',
  'settings.hidden': 'Darin stehen Passwörter oder Schlüssel. Wer diesen Bildschirm sieht, kann sie lesen.',
  'settings.reveal': 'Anzeigen und ändern',
  'settings.reveal_what': '{what} anzeigen und ändern',
  'settings.entry': 'Jeder Eintrag hat:',
  'settings.example': 'Ein Eintrag als Beispiel:',
  'settings.reset': 'Zurücksetzen',
  'settings.reset_what': '{what} auf den Standard zurücksetzen',
  'settings.undo': 'Verwerfen',
  'settings.undo_what': 'Die Änderung von {what} verwerfen',
  'settings.ui_off':
    'Nach dem Speichern ist diese App weg. Nur ein Programm kann sie über die API wieder einschalten.',

  'settings.problem_number': 'Das ist keine Zahl.',
  'settings.problem_empty':
    'Hier fehlt ein Wert. Einen eingeben, oder „Nicht gesetzt“ wählen, wo es das gibt.',
  'settings.problem_json': 'Das ist kein JSON. Anführungszeichen, Kommas und Klammern prüfen.',
  'settings.problem_line':
    'Das ist kein JSON. Anführungszeichen, Kommas und Klammern um Zeile {line} prüfen.',
  'settings.problem_list': 'Das muss eine Liste sein: [ … ]',
  'settings.problem_object': 'Das muss ein Objekt sein: { … }',
  'settings.refused': 'Das Gerät nimmt diesen Wert nicht an:',
  'settings.not_accepted_one':
    'Das Gerät hat {count} Einstellung abgelehnt, deshalb wurde nichts geändert. Der Grund steht dabei.',
  'settings.not_accepted_other':
    'Das Gerät hat {count} Einstellungen abgelehnt, deshalb wurde nichts geändert. Die Gründe stehen dabei.',
  'settings.conflict': 'Jemand anderes hat das inzwischen geändert. Das Gerät hat jetzt: {value}',
  'settings.take': 'Diesen nehmen',
  'settings.take_what': 'Diesen nehmen: {what}',
  'settings.keep': 'Meinen behalten',
  'settings.keep_what': 'Meinen behalten: {what}',

  'settings.bar': 'Änderungen, die nicht gespeichert sind',
  'settings.unsaved_one': '{count} Änderung ist nicht gespeichert',
  'settings.unsaved_other': '{count} Änderungen sind nicht gespeichert',
  'settings.problems_one': '{count} davon hat einen Fehler. Er ist zuerst zu beheben.',
  'settings.problems_other': '{count} davon haben Fehler. Sie sind zuerst zu beheben.',
  'settings.conflicts_one':
    '{count} Einstellung hat inzwischen jemand anderes geändert. Dort ist zuerst zu entscheiden.',
  'settings.conflicts_other':
    '{count} Einstellungen hat inzwischen jemand anderes geändert. Dort ist zuerst zu entscheiden.',
  'settings.save': 'Änderungen speichern',
  'settings.discard': 'Alle verwerfen',
  'settings.saved_one': '{count} Einstellung wurde gespeichert.',
  'settings.saved_other': '{count} Einstellungen wurden gespeichert.',
  'settings.preview': 'Was sich ändert',
  'settings.preview_none': 'Noch nichts.',
  'settings.becomes': '{from} → {to}',
  'settings.other_value': '{value} → ein anderer Wert',
  'settings.unknown': 'Nicht bekannt',
  'settings.take_over': '{what} übernehmen',
  'settings.leave_ask': 'Ohne Speichern verlassen?',
  'settings.leave_text': 'Die Änderungen an den Einstellungen gehen dann verloren.',
  'settings.leave': 'Verwerfen und verlassen',

  'settings.restart_required_one': 'Neustart nötig: {count} Änderung',
  'settings.restart_required_other': 'Neustart nötig: {count} Änderungen',
  'settings.restart': 'Gerät neu starten',
  'settings.restart_ask': 'Gerät jetzt neu starten?',
  'settings.restart_text':
    'Der Bildschirm ist bis zu einer Minute dunkel. Dann zeigt das Gerät, was für den Start eingestellt ist. Diese Seite kommt von selbst wieder.',

  'settings.document': 'Alle Einstellungen als JSON',
  'settings.document_text':
    'Für viele Änderungen auf einmal. Nur die Unterschiede werden gesendet. Eine hier gelöschte Einstellung bekommt ihren Standard.',
  'settings.document_label': 'Einstellungen',
  'settings.document_hidden': 'Die Einstellungen enthalten Geheimnisse',
  'settings.document_show': 'Einstellungen anzeigen',
  'settings.document_conflicts_one':
    'Jemand anderes hat seit Beginn der Bearbeitung {count} dieser Einstellungen geändert: {names}. Das Senden ersetzt diesen Wert.',
  'settings.document_conflicts_other':
    'Jemand anderes hat seit Beginn der Bearbeitung {count} dieser Einstellungen geändert: {names}. Das Senden ersetzt diese Werte.',
  'settings.send': 'Änderungen senden',

  'settings.export': 'Export',
  'settings.export_text': 'Alle Einstellungen als Datei, als Kopie oder für andere Geräte.',
  'settings.export_secrets_one':
    '{count} Einstellung hat Passwörter oder Schlüssel: {names}. In der Datei ohne Geheimnisse fehlt sie.',
  'settings.export_secrets_other':
    '{count} Einstellungen haben Passwörter oder Schlüssel: {names}. In der Datei ohne Geheimnisse fehlen sie.',
  'settings.export_plain': 'Ohne Geheimnisse herunterladen',
  'settings.export_all': 'Mit Geheimnissen herunterladen',
  'settings.export_ask': 'Mit Geheimnissen herunterladen?',
  'settings.export_warning':
    'Die Datei enthält alle Passwörter und Schlüssel im Klartext. Wer sie bekommt, kann sie benutzen. Sie ist aufzubewahren wie ein Passwort.',
  'settings.import': 'Import',
  'settings.import_drop': 'Datei mit Einstellungen hierher ziehen',
  'settings.import_hint': 'Vor dem Senden werden die Unterschiede gezeigt.',
  'settings.import_file': 'Unterschiede in {name}',
  'settings.import_same': 'Das Gerät hat alle diese Werte schon',
  'settings.import_unknown_one':
    '{count} Einstellung kennt diese Firmware nicht, sie wird ausgelassen: {names}',
  'settings.import_unknown_other':
    '{count} Einstellungen kennt diese Firmware nicht, sie werden ausgelassen: {names}',
  'settings.import_apply_one': '{count} Änderung anwenden',
  'settings.import_apply_other': '{count} Änderungen anwenden',
  'settings.import_large':
    'Die Datei ist zu groß für Einstellungen. Bitte eine hier exportierte Datei wählen.',
  'settings.import_unreadable':
    'Die Datei kann nicht gelesen werden. Bitte eine hier exportierte Datei wählen.',
  'settings.import_version':
    'Die Datei stammt von einer Firmware, deren Einstellungen anders aufgebaut sind. Bitte von einem Gerät mit dieser Version neu exportieren.',
};
