/** The view "Logs". */
export const logs = {
  'logs.title': 'Logs',
  'logs.live': 'Log of the device',
  'logs.about': 'The last {count} lines that the device has, and each new one as soon as it is written.',
  'logs.program': 'Program',
  'logs.all_programs': 'All programs',
  'logs.empty': 'The log is empty',
  'logs.empty_do': 'New lines appear here by themselves.',
  'logs.support': 'For support',
  'logs.support_text':
    'The view Maintenance makes one file for support, with the log, the state of the device and its settings.',
  'logs.archive': 'Go to Maintenance',
};
