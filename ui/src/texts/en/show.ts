/** The view "Show". */
export const show = {
  'show.title': 'Show',
  'show.now': 'Now',
  'show.url': 'Web page',
  'show.address': 'Address',
  'show.address_hint': 'Starts with http:// or https://',
  'show.address_invalid':
    'This is not an address that the device can show. It starts with http:// or https://.',
  'show.show': 'Show',
  'show.show_what': 'Show {what}',
  'show.history': 'Shown before from this browser',
  'show.forget': 'Remove {what} from the list',
  'show.bundles': 'On the device',
  'show.no_bundles': 'No bundles yet',
  'show.no_bundles_do': 'A bundle is a zip archive with a web app that runs without a network.',
  'show.waiting': 'Waiting page',
  'show.waiting_text': 'The built-in page with the name of the device and how to reach it.',
  'show.current': 'On the screen',
  'show.reload': 'Reload',
  'show.restart': 'Restart the browser',
  'show.restart_text':
    'After a restart of the browser, the screen is dark for a few seconds. What is shown comes back by itself.',
  'show.sent': 'Sent',
  'show.loading': 'Loading',
  'show.on_screen': 'On the screen',
  'show.failed': 'Failed',
  'show.replaced': 'Something else was asked for meanwhile.',
};
