import { totalmem } from 'node:os';
import { ApiError } from '../../contract/errors.ts';
import { MAX_SCREEN_ID } from '../../contract/shared.ts';
import { bindGroup, type ConfigBinding } from '../config/group.ts';
import type { ConfigReader } from '../config/store.ts';
import { displayConfig } from './config.ts';
import type { Display } from './display.ts';
import type { BrowserSettings } from './ports.ts';
import { displaySettings } from './settings.ts';

/**
 * How the group `display` takes effect.
 * @param browser the settings that the browser was started with, which it keeps until the next boot
 */
export function bindDisplay(config: ConfigReader, display: Display, browser: BrowserSettings): ConfigBinding {
  const turned = () => display.turned();
  return bindGroup(
    displayConfig,
    { rotation: turned, screens: turned },
    {
      changed: () => display.apply({ ...displaySettings(config, totalmem()), browser }),
      check: (patch) => checkScreens(patch, config, display),
      isLive: (path) => {
        const id = /^screens\.(.+)\.rotation$/.exec(path)?.[1];
        return id === undefined || id === display.primaryScreen;
      },
    },
  );
}

/** Refuses entries of `display.screens` that are no output of the board. @throws ApiError `screen_not_found` */
async function checkScreens(patch: unknown, config: ConfigReader, display: Display): Promise<void> {
  const { screens: asked }: { screens?: unknown } = Object(patch);
  if (asked === undefined && patch !== null) return;
  // Also when a null resets all of them: which screen is the primary one decides what is live.
  const screens = await display.screens();
  const stored = config.get(displayConfig).screens;
  for (const [id, value] of Object.entries(Object(asked))) {
    // Removing what is set for an output that is gone must stay possible.
    if (value === null && Object.hasOwn(stored, id)) continue;
    if (screens.some((screen) => screen.id === id)) continue;
    const name = id.slice(0, MAX_SCREEN_ID).toWellFormed();
    throw new ApiError('screen_not_found', `There is no screen ${name}.`, {
      screen: name,
      screens: screens.map((screen) => screen.id),
    });
  }
}
