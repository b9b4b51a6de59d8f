/** The view "Peripherals". */
export const peripherals = {
  'peripherals.title': 'Peripherals',
  'peripherals.none': 'Nothing is plugged in',
  'peripherals.none_do':
    'Plug a scanner, a scale or a printer into a USB port of the device. It appears here at once.',
  'peripherals.no_port': 'This device has no USB port for peripherals',
  'peripherals.no_port_do': 'Settings for peripherals have no effect on it.',
  'peripherals.no_port_listed':
    'This device has no USB port for peripherals. What is listed is connected by Bluetooth.',

  'peripherals.unnamed': 'Device without a name',
  'peripherals.serial_number': 'serial number {number}',
  'peripherals.kind_hid': 'Input and output by reports (WebHID)',
  'peripherals.kind_serial': 'Serial port (Web Serial)',
  'peripherals.kind_usb': 'The USB device itself (WebUSB)',
  'peripherals.usages': 'usage {usages}',
  'peripherals.drivers': 'driver {drivers}',

  'peripherals.open': 'In use',
  'peripherals.open_by': 'A page of {origin} has it open now.',
  'peripherals.allowed': 'Allowed',
  'peripherals.allowed_for': 'Pages of {origins} may use it.',
  'peripherals.not_this_page': 'The displayed page, of {origin}, may not use it.',
  'peripherals.disabled': 'Not in effect',
  'peripherals.kind_off': 'An entry allows it, but its kind is switched off in the settings.',
  'peripherals.no_origin': 'An entry allows it, but no page may use peripherals yet.',
  'peripherals.not_allowed': 'Not allowed',
  'peripherals.no_entry': 'There is no entry that allows it.',
  'peripherals.protected': 'Protected',
  'peripherals.never': 'No page ever gets it, whatever the settings say.',

  'peripherals.allow': 'Allow for {origin}',
  'peripherals.allow_what': 'Allow for {origin}: {name}',
  'peripherals.allow_ask': 'Allow {name} for {origin}?',
  'peripherals.allow_do': 'Allow',
  'peripherals.allow_text': 'Pages of {origin} can then read from it and send to it, through {kind}.',
  'peripherals.allow_entry': 'The new entry matches every device {ids}, also another one of the same type.',
  'peripherals.allow_entry_usage':
    'The new entry matches every device {ids} with the usage {usage}, also another one of the same type.',
  'peripherals.allow_kind': '{kind} is switched on.',
  'peripherals.allow_origin': '{origin} is added to the pages that may use peripherals.',
  'peripherals.allow_other_origins': 'Pages of {origins} can use it, too.',
  'peripherals.allow_others': 'This also allows {names}.',
  'peripherals.allow_unused_one': '{count} more entry takes effect, for a device that is not plugged in.',
  'peripherals.allow_unused_other': '{count} more entries take effect, for devices that are not plugged in.',
  'peripherals.now_allowed': 'Pages of {origin} may use {name}.',

  'peripherals.remove': 'Remove',
  'peripherals.remove_what': 'Remove the entry for {name}',
  'peripherals.remove_ask': 'Remove the entry for {name}?',
  'peripherals.remove_text':
    'Pages can no longer use it, unless another entry matches. If a page has it open, it is closed at once.',
  'peripherals.remove_others': 'The same is true of {names}.',
  'peripherals.removed': 'The entry is removed.',

  'peripherals.gone': 'It is no longer there. Plug it in again, and try again.',
  'peripherals.changed': 'The settings have changed meanwhile. Close this, and read again what is allowed.',

  'peripherals.pages': 'Pages that may use peripherals',
  'peripherals.no_pages': 'No page may use peripherals.',
  'peripherals.displayed': 'Displayed now',
  'peripherals.waiting': 'The waiting page is displayed. Show the page that needs a device to allow it here.',
  'peripherals.pages_hint': 'Each of them may use everything that is allowed.',
  'peripherals.settings': 'Go to the settings',
};
