/** What went wrong. */
export const error = {
  'error.title': 'This could not be loaded',
  'error.absent': 'This device does not have this',
  'error.aborted': 'It was cancelled.',
  'error.bundle_in_use': 'The bundle is on the screen. Show something else first.',
  'error.bundle_invalid': 'The archive is not a valid bundle.',
  'error.conflict':
    'The device cannot do this now. Wait until it has finished what it is doing, then try again.',
  'error.content_not_found': 'The device no longer has this bundle.',
  'error.forbidden':
    'The device refuses requests under this address. Open it by its IP address or its own name.',
  'error.insufficient_storage': 'The storage of the device is full. Delete bundles that are not needed.',
  'error.internal': 'The device has failed to do this. The reason is in its log.',
  'error.no_result':
    'The device has accepted this, but the result did not come in time. Check what the screen shows.',
  'error.not_applied':
    'It is stored, but the device could not put it into effect now. It does so after a restart of the device.',
  'error.not_found': 'The device does not know this.',
  'error.not_implemented': 'This version of the firmware cannot do this.',
  'error.offline': 'The device cannot be reached. Check the cable or the network, then try again.',
  'error.payload_too_large': 'The file is too large.',
  'error.refused': 'The device has refused this.',
  'error.timeout': 'The device did not answer in time. Try again.',
  'error.too_many_requests': 'The device is doing too many of these at the same time. Try again in a moment.',
  'error.unavailable': 'What this needs is missing or does not work now.',
};
