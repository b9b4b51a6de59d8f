import type { ConfigReader } from '../config/store.ts';
import { browserConfig, displayConfig } from './config.ts';
import type { BrowserSettings } from './ports.ts';
import type { Rotation } from './schema.ts';

/** Share of the board's memory that one web process may use when nothing is configured. */
const DEFAULT_MEMORY_SHARE = 0.4;
const LEAST_MEMORY_MB = 256;

/** The display's part of the configuration. */
export interface DisplaySettings {
  rotation: Rotation;
  /** Show the last target at boot. */
  resumeOnBoot: boolean;
  /** Delete the browser's data at boot. */
  clearDataOnBoot: boolean;
  /** Bundle to show at boot; not used at any other time. */
  bootBundle: string | null;
  /** Settings of single screens, by id; null inherits. */
  screens: Readonly<Record<string, { url: string | null; rotation: Rotation | null }>>;
  browser: BrowserSettings;
}

/**
 * The display's part of the configuration (interface: Configuration, display and browser).
 * @param memoryBytes of the whole board
 */
export function displaySettings(config: ConfigReader, memoryBytes: number): DisplaySettings {
  const display = config.get(displayConfig);
  const browser = config.get(browserConfig);
  const share = Math.floor((memoryBytes / 2 ** 20) * DEFAULT_MEMORY_SHARE);
  return {
    rotation: display.rotation,
    resumeOnBoot: display.resume_on_boot,
    clearDataOnBoot: browser.clear_data_on_boot,
    bootBundle: display.boot_bundle,
    screens: display.screens,
    browser: {
      userAgent: browser.user_agent,
      ignoreTlsErrors: browser.ignore_tls_errors,
      memoryLimitMb: browser.memory_limit_mb ?? Math.max(share, LEAST_MEMORY_MB),
    },
  };
}
