import type { Config } from '../config/schema.ts';
import type { DisplaySettings } from './display.ts';

/** Of the whole memory, what one web process may take when nothing is configured. */
const DEFAULT_MEMORY_SHARE = 0.4;
const LEAST_MEMORY_MB = 256;

/**
 * The display's part of the configuration (interface: Configuration, display and browser).
 * @param memoryBytes of the whole board
 */
export function displaySettings({ display, browser }: Config, memoryBytes: number): DisplaySettings {
  const share = Math.floor((memoryBytes / 2 ** 20) * DEFAULT_MEMORY_SHARE);
  return {
    rotation: display.rotation,
    resumeOnBoot: display.resume_on_boot,
    screens: display.screens,
    browser: {
      userAgent: browser.user_agent,
      ignoreTlsErrors: browser.ignore_tls_errors,
      memoryLimitMb: browser.memory_limit_mb ?? Math.max(share, LEAST_MEMORY_MB),
    },
  };
}
