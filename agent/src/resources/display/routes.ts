import { validator } from '../../validation/validator.ts';
import { atMost } from '../at-most.ts';
import { type CheckedCall, type Route, serve } from '../route.ts';
import type { Display } from './display.ts';
import * as contract from './schema.ts';
import { ScreenQuery } from './schema.ts';

const onScreen = validator(ScreenQuery);
/** Each may take tens of megabytes on a large screen. */
const MAX_SCREENSHOTS = 4;

/** The routes of the display. */
export function displayRoutes(display: Display): Route[] {
  const takePicture = atMost(MAX_SCREENSHOTS, 'screenshots being taken');
  const routes = [
    serve(contract.getDisplay, () => display.state()),
    serve(contract.getScreens, () => display.listScreens()),
    serve(contract.navigate, ({ body }) => display.navigate(body.url)),
    serve(contract.showBundle, ({ body }) => display.showBundle(body.name)),
    serve(contract.showWaitingPage, () => display.showWaiting()),
    serve(contract.reload, () => display.reload()),
    serve(contract.restartBrowser, () => display.restartBrowser()),
    serve(contract.clearData, () => display.clearData()),
    serve(contract.switchScreen, ({ body }) => display.switchScreen(body.on)),
    serve(contract.takeScreenshot, () => takePicture(() => display.screenshot())),
    serve(contract.executeJs, async ({ body }) => ({ result: await display.executeJs(body.script) })),
  ];
  return routes.map((route) => ({ ...route, handler: (call) => answerOnScreen(display, route, call) }));
}

/** Checks `?screen=` before anything else. */
async function answerOnScreen(display: Display, route: Route, call: CheckedCall): Promise<unknown> {
  if (onScreen.fits(call.query)) await display.requireScreen(call.query.screen);
  return route.handler(call);
}
