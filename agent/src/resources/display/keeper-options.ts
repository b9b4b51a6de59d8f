import type { HeartbeatTiming } from './heartbeat.ts';
import type { LoadTiming } from './load-deadline.ts';
import type { Browser, BrowserSettings, Bundles, DisplayLog, Kiosk, WaitingPage } from './ports.ts';
import { recoveryStep, type Step } from './recovery.ts';

export interface KeeperTiming extends HeartbeatTiming, LoadTiming {
  /** A page that lives so long after its load is well again, in ms. */
  wellMs: number;
  /** How long the browser may be away before its unit is restarted, in ms; doubles up to 16 times that. */
  awayMs: number;
  step: (failures: number, kind: 'load' | 'crash') => Step;
}

/** Generous, because a board that boots or is busy is slow without anything being wrong. */
export const TIMING: KeeperTiming = {
  wellMs: 60_000,
  awayMs: 60_000,
  pingEveryMs: 10_000,
  pongMs: 15_000,
  misses: 3,
  beginMs: 15_000,
  documentMs: 60_000,
  completeMs: 60_000,
  step: recoveryStep,
};

export interface KeeperOptions {
  browser: Browser;
  kiosk: Kiosk;
  page: WaitingPage;
  bundles: Bundles;
  log: DisplayLog;
  timing: KeeperTiming;
  settings: () => BrowserSettings;
  /** A browser is there and has opened nothing yet: it waits for its settings. Never rejects. */
  arriving: () => Promise<void>;
  /** A browser is there and has its settings. */
  arrived: () => void;
  /** Something that the display state tells may have changed. */
  changed: () => void;
}
