/**
 * The paths of the views. The device answers these with the app's page; what is behind them is in views.ts. The build
 * reads this file, too, so it imports nothing.
 */
export const VIEW_PATHS = {
  overview: '/',
  show: '/show',
  remote: '/remote',
  content: '/content',
  screens: '/screens',
  audio: '/audio',
  input: '/input',
  network: '/network',
  wifi: '/wifi',
  bluetooth: '/bluetooth',
  nfc: '/nfc',
  peripherals: '/peripherals',
  certificates: '/certificates',
  page: '/page',
  logs: '/logs',
  events: '/events',
  update: '/update',
  settings: '/settings',
  maintenance: '/maintenance',
} as const;

export type ViewName = keyof typeof VIEW_PATHS;
