import type { ConfigStore } from '../config/store.ts';
import type { Display } from './display.ts';
import type { DisplaySettings } from './settings.ts';

/** Brings the live part of the configuration group `display` into effect whenever a patch changes it. */
export function applyDisplayConfig(
  config: ConfigStore,
  display: Display,
  settings: (config: ReturnType<ConfigStore['get']>) => DisplaySettings,
): void {
  config.onApply('display', (now) => display.apply(settings(now)));
  // By paths of their own: when the screen is not turned, that says nothing of the other fields.
  for (const path of ['display.rotation', 'display.screens']) config.onApply(path, () => display.turned());
}
