import type { ConfigStore } from '../config/store.ts';
import type { Display } from './display.ts';
import type { DisplaySettings } from './settings.ts';

/** Applies the live fields of the configuration group `display` whenever a patch changes them. */
export function applyDisplayConfig(
  config: ConfigStore,
  display: Display,
  settings: (config: ReturnType<ConfigStore['get']>) => DisplaySettings,
): void {
  config.onApply('display', (now) => display.apply(settings(now)));
  // Separately: a failed rotation must not mark the other fields as failed.
  for (const path of ['display.rotation', 'display.screens']) config.onApply(path, () => display.turned());
}
