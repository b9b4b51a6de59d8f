/** The view "Overview". */
export const overview = {
  'overview.title': 'Overview',
  'overview.screen': 'On the screen',
  'overview.change': 'Change',
  'overview.change_shown': 'Change what is shown',
  'overview.health': 'Health',
  'overview.facts': 'Device',
  'overview.problems': 'What needs attention',
  'overview.problems_one': '{count} message of the device',
  'overview.problems_other': '{count} messages of the device',
  'overview.rename': 'Change the name',
  'overview.name': 'Name of the device',
  'overview.name_hint': 'One line, at most 63 characters',
  'overview.renamed': 'The device is called {name} now.',
};
