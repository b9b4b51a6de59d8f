import { atMost } from '../../contract/at-most.ts';
import { type Route, serve } from '../../contract/endpoint.ts';
import { ApiError } from '../../contract/errors.ts';
import type { Display } from './display.ts';
import {
  clearData,
  executeJs,
  getDisplay,
  getScreens,
  navigate,
  reload,
  restartBrowser,
  showBundle,
  showWaitingPage,
  switchScreen,
  takeScreenshot,
} from './schema.ts';

/** Each may have tens of megabytes on a large screen. */
const MAX_SCREENSHOTS = 4;

/** The Display section of the interface; every call checks its `?screen=` first. */
export function displayRoutes(display: Display): Route[] {
  const takePicture = atMost(MAX_SCREENSHOTS, 'screenshots being taken');
  return [
    serve(getDisplay, async ({ query }) => {
      await display.requireScreen(query.screen);
      return display.state();
    }),
    serve(getScreens, async ({ query }) => {
      await display.requireScreen(query.screen);
      return display.screens();
    }),
    serve(navigate, async ({ query, body }) => {
      await display.requireScreen(query.screen);
      return display.navigate(body.url);
    }),
    serve(showBundle, async ({ query, body }) => {
      await display.requireScreen(query.screen);
      return display.showBundle(body.name);
    }),
    serve(showWaitingPage, async ({ query }) => {
      await display.requireScreen(query.screen);
      return display.showWaiting();
    }),
    serve(reload, async ({ query }) => {
      await display.requireScreen(query.screen);
      return display.reload();
    }),
    serve(restartBrowser, async ({ query }) => {
      await display.requireScreen(query.screen);
      return display.restartBrowser();
    }),
    serve(clearData, async ({ query }) => {
      await display.requireScreen(query.screen);
      return display.clearData();
    }),
    serve(switchScreen, async ({ query }) => {
      await display.requireScreen(query.screen);
      throw new ApiError('unavailable', 'The screen cannot be switched over HDMI-CEC.');
    }),
    serve(takeScreenshot, async ({ query }) => {
      await display.requireScreen(query.screen);
      return takePicture(() => display.screenshot());
    }),
    serve(executeJs, async ({ query }) => {
      await display.requireScreen(query.screen);
      throw new ApiError('not_implemented');
    }),
  ];
}
