import { atMost } from '../../contract/at-most.ts';
import { type CheckedCall, type Route, serve } from '../../contract/endpoint.ts';
import { ApiError } from '../../contract/errors.ts';
import { fits } from '../../contract/validate.ts';
import type { Display } from './display.ts';
import {
  clearData,
  executeJs,
  getDisplay,
  getScreens,
  navigate,
  reload,
  restartBrowser,
  ScreenQuery,
  showBundle,
  showWaitingPage,
  switchScreen,
  takeScreenshot,
} from './schema.ts';

/** Each may take tens of megabytes on a large screen. */
const MAX_SCREENSHOTS = 4;

/** The Display section of the interface. */
export function displayRoutes(display: Display): Route[] {
  const takePicture = atMost(MAX_SCREENSHOTS, 'screenshots being taken');
  const routes = [
    serve(getDisplay, () => display.state()),
    serve(getScreens, () => display.screens()),
    serve(navigate, ({ body }) => display.navigate(body.url)),
    serve(showBundle, ({ body }) => display.showBundle(body.name)),
    serve(showWaitingPage, () => display.showWaiting()),
    serve(reload, () => display.reload()),
    serve(restartBrowser, () => display.restartBrowser()),
    serve(clearData, () => display.clearData()),
    serve(switchScreen, () => {
      throw new ApiError('unavailable', 'The screen cannot be switched over HDMI-CEC.');
    }),
    serve(takeScreenshot, () => takePicture(() => display.screenshot())),
    serve(executeJs, () => {
      throw new ApiError('not_implemented');
    }),
  ];
  return routes.map((route) => ({ ...route, handler: (call) => answerOnScreen(display, route, call) }));
}

/** Checks `?screen=` before anything else. */
async function answerOnScreen(display: Display, route: Route, call: CheckedCall): Promise<unknown> {
  if (fits(ScreenQuery, call.query)) await display.requireScreen(call.query.screen);
  return route.handler(call);
}
