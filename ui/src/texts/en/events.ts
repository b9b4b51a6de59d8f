/** The view "Events". */
export const events = {
  'events.title': 'Events',
  'events.live': 'What happens now',
  'events.about':
    'The device tells what changes, as it happens. Nothing of it is stored: only what happens while this view is open is listed. Passwords are hidden.',
  'events.topic': 'Topic',
  'events.all_topics': 'All topics',
  'events.chosen_one': 'Topics: {count} is followed',
  'events.chosen_other': 'Topics: {count} are followed',
  'events.usual': 'The usual ones',
  'events.all': 'All',
  'events.none': 'None',
  'events.copy_frame': 'Copy the subscription',
  'events.empty': 'Nothing has happened yet',
  'events.empty_do': 'Change something, for example show another page, or follow more topics.',
  'events.no_topics': 'No topic is followed',
  'events.no_topics_do': 'Choose topics above.',
  'events.group_screen': 'Screen',
  'events.group_page': 'Page',
  'events.group_connections': 'Connections',
  'events.group_device': 'Device',
  'events.topic_display_state': 'What the screen shows, whether it loads, and why it has failed.',
  'events.topic_splash_changed': 'The picture of the boot or of the shutdown was changed.',
  'events.topic_input_raw': 'Every touch and click on the screen. Many a second while somebody uses it.',
  'events.topic_page_channel': 'The page has opened or closed its channel for messages.',
  'events.topic_page_message':
    'Messages of the page to its hosts. The page waits until each host has read them.',
  'events.topic_page_console':
    'The JavaScript console of the page. The device collects it only for those who follow it.',
  'events.topic_network_changed': 'Host name, interfaces or addresses have changed.',
  'events.topic_wifi_changed':
    'Wi-Fi was switched, has connected or lost its network, or has finished a search.',
  'events.topic_bluetooth_changed': 'The Bluetooth adapter or one of its devices has changed.',
  'events.topic_peripherals_changed':
    'A peripheral was plugged in or unplugged, opened or closed by a page, or its permission has changed.',
  'events.topic_nfc_tag': 'A tag has come to a reader.',
  'events.topic_nfc_tag_removed': 'The tag has left the reader.',
  'events.topic_nfc_reader_connected': 'A reader was plugged in.',
  'events.topic_nfc_reader_disconnected': 'A reader was unplugged.',
  'events.topic_operation': 'How far uploads and installations have come.',
  'events.topic_update_changed':
    'The two systems of the device: an installation, its start or its confirmation.',
  'events.topic_certificates_changed': 'A certificate was stored, replaced or removed.',
  'events.topic_config_changed': 'Settings were changed, with all of them as they are now.',
  'events.topic_health': 'Memory, storage, temperature and more, every few seconds.',
  'events.topic_log': 'New lines of the log. There may be many.',
};
