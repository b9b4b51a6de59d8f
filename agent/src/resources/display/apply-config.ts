import { totalmem } from 'node:os';
import { ApiError } from '../../contract/errors.ts';
import { MAX_SCREEN_ID } from '../../contract/shared.ts';
import { bindGroup, type ConfigBinding } from '../config/group.ts';
import type { ConfigReader } from '../config/store.ts';
import { browserConfig, displayConfig } from './config.ts';
import type { Display } from './display.ts';
import type { BrowserSettings } from './ports.ts';

/** Share of the board's memory that one web process may use when nothing is configured. */
const DEFAULT_MEMORY_SHARE = 0.4;
const LEAST_MEMORY_MB = 256;

/** The settings of the browser, which it keeps until the next boot. */
export function browserSettings(config: ConfigReader): BrowserSettings {
  const { user_agent, ignore_tls_errors, memory_limit_mb } = config.get(browserConfig);
  const share = Math.floor((totalmem() / 2 ** 20) * DEFAULT_MEMORY_SHARE);
  const limit = memory_limit_mb ?? Math.max(share, LEAST_MEMORY_MB);
  return { user_agent, ignore_tls_errors, memory_limit_mb: limit };
}

/** How the group `display` takes effect. */
export function bindDisplay(config: ConfigReader, display: Display): ConfigBinding {
  const rotate = () => display.screens.rotate();
  return bindGroup(
    displayConfig,
    { rotation: rotate, screens: rotate },
    {
      changed: () => display.configChanged(),
      check: (patch) => checkScreens(patch, config, display),
      isLive: (path) => {
        const id = /^screens\.(.+)\.rotation$/.exec(path)?.[1];
        return id === undefined || id === display.screens.primary?.id;
      },
    },
  );
}

/** Refuses entries of `display.screens` that are no output of the board. @throws ApiError `screen_not_found` */
async function checkScreens(patch: unknown, config: ConfigReader, display: Display): Promise<void> {
  const { screens: asked }: { screens?: unknown } = Object(patch);
  if (asked === undefined && patch !== null) return;
  // Also when a null resets all of them: which screen is the primary one decides what is live.
  const screens = await display.listScreens();
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
