import type { update as en } from '../en/update.ts';

export const update: Record<keyof typeof en, string> = {
  'update.title': 'Aktualisierung',
  'update.install': 'Aktualisierung installieren',
  'update.version_now': 'Laufende Version',
  'update.absent_do':
    'Ein Container oder ein anderer Rechner bekommt eine neue Version dort, wo er gestartet wird.',
  'update.step_send': 'Senden',
  'update.step_verify': 'Prüfen',
  'update.step_write': 'Schreiben',
  'update.step_restart': 'Neu starten',
  'update.step_confirm': 'Bestätigen',
  'update.sending': 'Das Paket wird gesendet',
  'update.sent': '{sent} von {total}',
  'update.speed': '{speed} pro Sekunde',
  'update.rest': 'noch {time}',
  'update.now_send': 'Das Paket kommt an',
  'update.now_verify': 'Das Gerät prüft Signatur und Inhalt',
  'update.now_write': 'Das Gerät schreibt das andere Startsystem',
  'update.meanwhile': 'Der Bildschirm läuft dabei weiter. Diese Seite darf geschlossen werden.',
  'update.by_others':
    'Von anderswo begonnen: von einer anderen Seite, einem Programm oder dem Aktualisierungsserver.',
  'update.pending': 'Version {version} ist installiert. Sie läuft nach einem Neustart.',
  'update.restart': 'Jetzt neu starten',
  'update.pending_later': 'Das hat Zeit: Bis dahin startet immer die jetzige Version.',
  'update.stage_asked': 'Das Gerät fährt herunter.',
  'update.stage_away': 'Das Gerät startet die neue Version. Diese Seite wartet darauf.',
  'update.stage_trial':
    'Das Gerät ist wieder da. Die neue Version wird bestätigt, sobald sie gezeigt hat, dass sie funktioniert; das dauert bis zu fünf Minuten.',
  'update.drop': 'Aktualisierungspaket hier ablegen',
  'update.drop_another': 'Ein anderes Paket hier ablegen, um die installierte Aktualisierung zu ersetzen',
  'update.drop_hint': 'Eine Datei, deren Name mit .raucb endet. Gesendet wird erst auf Knopfdruck.',
  'update.file': 'Datei',
  'update.file_size': 'Größe',
  'update.file_version': 'Version in der Datei',
  'update.file_board': 'Für das Board',
  'update.file_unknown': 'Die Datei sagt es nicht',
  'update.file_not_bundle':
    'Diese Datei ist kein Aktualisierungspaket. Wählen Sie eine Datei, deren Name mit .raucb endet.',
  'update.file_cut_off': 'Von diesem Paket fehlt ein Teil. Laden oder kopieren Sie es noch einmal.',
  'update.file_unreadable':
    'Der Browser kann diese Datei nicht lesen. Kopieren Sie sie auf diesen Rechner, und wählen Sie sie noch einmal.',
  'update.restart_after': 'Nach der Installation gleich neu starten',
  'update.restart_after_hint':
    'Der Bildschirm ist dann etwa eine Minute dunkel. Sonst wählen Sie den Zeitpunkt später.',
  'update.install_now': 'Installieren',
  'update.another_file': 'Andere Datei',
  'update.failed_sending':
    'Das Paket kam nicht vollständig an. Prüfen Sie die Verbindung, und versuchen Sie es noch einmal.',
  'update.failed_bundle':
    'Das Gerät nimmt dieses Paket nicht an: Es ist beschädigt, für ein anderes Board, älter als die laufende Version oder von jemand anderem signiert. Benutzen Sie eines, das für dieses Gerät gemacht wurde.',
  'update.failed_conflict':
    'Eine andere Aktualisierung wird gerade empfangen, installiert oder ausprobiert. Warten Sie deren Ende ab, und versuchen Sie es noch einmal.',
  'update.failed_storage':
    'Für das Paket ist kein Platz. Löschen Sie Inhalte, die nicht gebraucht werden, und versuchen Sie es noch einmal.',
  'update.failed_interrupted':
    'Die Installation wurde unterbrochen, oder der Speicher lässt sich nicht beschreiben. Die laufende Version ist unverändert. Versuchen Sie es noch einmal; scheitert es wieder, ist vielleicht der Speicher verschlissen.',
  'update.failed_internal':
    'Die Installation ist gescheitert. Die laufende Version ist unverändert. Der Grund steht im Protokoll des Geräts.',
  'update.not_gone':
    'Das Gerät hat den Neustart angenommen, läuft aber weiter. Drücken Sie die Taste noch einmal; hilft das nicht, schalten Sie es aus und wieder ein.',
  'update.not_back':
    'Das Gerät ist seit einer Viertelstunde nicht zurück. Prüfen Sie Strom und Netzwerk; vielleicht hat es jetzt eine andere Adresse.',
  'update.now_runs': 'Die Aktualisierung ist fertig: Version {version} läuft und ist bestätigt.',
  'update.trial': 'Noch nicht bestätigt',
  'update.trial_text':
    'Version {version} ist gestartet und muss zeigen, dass sie funktioniert: dass ihr Speicher beschreibbar ist und auf dem Bildschirm etwas erscheint.',
  'update.trial_do':
    'Es ist nichts zu tun. Eine Aktualisierung, die das nicht in fünf Minuten zeigt, wird aufgegeben, und das Gerät kehrt von selbst zur Version davor zurück.',
  'update.slot': 'Startsystem {name}',
  'update.active': 'In Benutzung',
  'update.active_yes': 'Ja',
  'update.active_no': 'Nein',
  'update.tried': 'Entschieden am',
  'update.no_version': 'Kein vollständiges System',
  'update.slot_runs': 'Läuft, gut',
  'update.slot_runs_text': 'Dieser Start hat gezeigt, dass er funktioniert.',
  'update.slot_tried': 'Läuft, noch nicht bestätigt',
  'update.slot_tried_text': 'Es gilt als gut, sobald es gezeigt hat, dass es funktioniert.',
  'update.slot_written': 'Wird beschrieben',
  'update.slot_written_text': 'Hier wird eine Aktualisierung installiert.',
  'update.slot_pending': 'Installiert, nicht gestartet',
  'update.slot_pending_text': 'Es startet nach „Jetzt neu starten“.',
  'update.slot_ready': 'Bereit, gut',
  'update.slot_ready_text':
    'Das Gerät kann dorthin zurückkehren. Die nächste Aktualisierung wird hierher geschrieben.',
  'update.slot_incomplete': 'Schlecht, unvollständig',
  'update.slot_incomplete_text':
    'Es enthält nur einen Teil einer Aktualisierung und kann nicht starten. Installieren Sie noch einmal eine.',
  'update.slot_broken': 'Schlecht, startet nicht',
  'update.slot_broken_text':
    'Das Gerät hat es aufgegeben. Installieren Sie eine Aktualisierung, damit es wieder einen Rückweg gibt.',
  'update.slot_empty': 'Unbekannt',
  'update.slot_empty_text': 'Der Inhalt ist nicht bekannt.',
  'update.slot_starting': 'Startet gleich',
  'update.slot_starting_text': 'Das Gerät startet neu und benutzt dann dieses.',
  'update.result': 'Letzte Aktualisierung',
  'update.no_result': 'Noch keine Aktualisierung gestartet',
  'update.no_result_do':
    'Hier steht, wie eine Aktualisierung ausgegangen ist, auch nach einer Rückkehr zur Version davor.',
  'update.outcome_success': 'Erfolgreich',
  'update.outcome_rolled_back': 'Zurückgenommen',
  'update.outcome_failed': 'Nicht gestartet',
  'update.result_success':
    'Version {version} wurde von Startsystem {slot} gestartet und hat gezeigt, dass sie funktioniert.',
  'update.result_rolled_back':
    'Version {version} in Startsystem {slot} hat nicht funktioniert. Das Gerät ist von selbst zur Version davor zurückgekehrt.',
  'update.result_failed':
    'Version {version} in Startsystem {slot} wurde nicht gestartet. Sie ist weiterhin installiert.',
  'update.version_unknown': 'unbekannt',
  'update.by_fleet': 'für den Aktualisierungsserver',
  'update.reason_kernel_panic': 'Ihr Kernel ist abgestürzt.',
  'update.reason_kernel_panic_do':
    'Melden Sie es mit den Worten unten denen, die die Aktualisierungen machen; noch einmal installieren hilft nicht.',
  'update.reason_watchdog': 'Sie hat nicht mehr reagiert, und der Watchdog hat das Gerät zurückgesetzt.',
  'update.reason_watchdog_do':
    'Versuchen Sie es noch einmal; geschieht es wieder, melden Sie es denen, die die Aktualisierungen machen.',
  'update.reason_boot_failed': 'Sie ist in drei Versuchen nicht gestartet.',
  'update.reason_boot_failed_do':
    'Prüfen Sie, ob das Paket für dieses Gerät ist, und installieren Sie es noch einmal.',
  'update.reason_unhealthy':
    'Sie ist gestartet, hat aber nicht in fünf Minuten gezeigt, dass sie funktioniert.',
  'update.reason_unhealthy_do':
    'Die Worte unten sagen, worauf gewartet wurde. Prüfen Sie Bildschirm und Kabel, und installieren Sie sie noch einmal.',
  'update.reason_not_started': 'Im Moment des Neustarts ist der Strom ausgefallen.',
  'update.reason_not_started_do': 'Drücken Sie noch einmal „Jetzt neu starten“.',
  'update.fleet': 'Aktualisierungsserver',
  'update.fleet_off': 'Kein Aktualisierungsserver',
  'update.fleet_off_do':
    'Ein hawkBit-Server kann viele Geräte aktualisieren. Adresse und Token stehen in den Einstellungen unter update.',
  'update.fleet_connection': 'Verbindung',
  'update.fleet_connected': 'Der Server hat geantwortet',
  'update.fleet_not_connected': 'Der Server antwortet nicht',
  'update.fleet_last_poll': 'Zuletzt gefragt',
  'update.fleet_next_poll': 'Fragt wieder',
  'update.fleet_action': 'Aktualisierung (Nummer)',
  'update.never': 'Noch nicht',
  'update.fleet_first': 'Der Server wurde noch nicht gefragt.',
  'update.fleet_lost': 'Der Server antwortet nicht. Das Gerät fragt weiter.',
  'update.fleet_idle': 'Nichts zu installieren',
  'update.fleet_waiting':
    'Version {version} wartet: bis der Server das Herunterladen erlaubt oder auf den nächsten Versuch.',
  'update.fleet_installing': 'Version {version} wird installiert.',
  'update.fleet_installed':
    'Version {version} ist installiert und wartet, bis der Server den Neustart erlaubt.',
  'update.fleet_applying': 'Das Gerät startet in Version {version} oder wartet auf deren Bestätigung.',
  'update.fleet_reporting': 'Version {version} ist entschieden. Der Server weiß es noch nicht.',
  'update.fleet_network': 'Der Server ist nicht erreichbar',
  'update.fleet_network_do':
    'Prüfen Sie die Adresse in den Einstellungen und das Netzwerk des Geräts. Es wird von selbst wieder versucht.',
  'update.fleet_unauthorized': 'Der Server akzeptiert das Token nicht',
  'update.fleet_unauthorized_do':
    'Tragen Sie das Token dieses Geräts oder seiner Gruppe in den Einstellungen ein.',
  'update.fleet_refused': 'Der Server weist das Gerät ab',
  'update.fleet_refused_do':
    'Prüfen Sie Mandant und Gerätename in den Einstellungen, und ob der Server das Gerät kennt.',
  'update.fleet_server_error': 'Der Server hat eine Störung',
  'update.fleet_server_error_do': 'Sehen Sie im Protokoll des Servers nach. Das Gerät fragt weiter.',
  'update.fleet_invalid_answer': 'Die Antwort des Servers ist nicht brauchbar',
  'update.fleet_invalid_answer_do':
    'Prüfen Sie, ob die Adresse die eines hawkBit-Servers ist. Eine Aktualisierung hat genau eine Datei, deren Name mit .raucb endet.',
  'update.fleet_install': 'Die Aktualisierung ist noch nicht installiert',
  'update.fleet_install_do': 'Das Gerät versucht es von selbst wieder. Die Worte unten sagen, woran es lag.',
  'update.fleet_storage': 'Das Gerät kann seinen Stand nicht speichern',
  'update.fleet_storage_do':
    'Prüfen Sie den freien Platz; ist der Speicher nur lesbar, ist er vielleicht verschlissen.',
};
