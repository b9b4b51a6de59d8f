/**
 * The paths of the views. The device answers these with the app's page; what is behind them is in views.ts. The build
 * reads this file, too, so it imports nothing.
 */
export const VIEW_PATHS = {
  overview: '/',
  show: '/show',
} as const;

export type ViewName = keyof typeof VIEW_PATHS;
