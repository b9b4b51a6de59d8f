import type { EventBus } from '../../events/bus.ts';
import type { KeeperTiming } from './keeper-state.ts';
import type {
  Browser,
  BrowserData,
  Bundles,
  Compositor,
  Connectors,
  DisplayLog,
  Kiosk,
  TargetStore,
  WaitingPage,
} from './ports.ts';
import type { DisplaySettings } from './settings.ts';

export interface DisplayOptions {
  browser: Browser;
  compositor: Compositor;
  kiosk: Kiosk;
  /** Absent where the browser's data does not belong to the device. */
  browserData?: BrowserData | undefined;
  connectors: Connectors;
  store: TargetStore;
  page: WaitingPage;
  bundles: Bundles;
  bus: EventBus;
  settings: DisplaySettings;
  log: DisplayLog;
  timing?: KeeperTiming;
  /** How often connectors are read while nobody asks, in ms. */
  lookEveryMs?: number;
  /** How long a new browser may take to connect after the old one was ended, in ms. */
  newBrowserMs?: number;
}

/** The browser's part of the health report (docs/contract.md: Device). */
export interface BrowserHealth {
  running: boolean;
  restarts: number;
  pid: number | null;
}
