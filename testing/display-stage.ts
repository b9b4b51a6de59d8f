import assert from 'node:assert/strict';
import { createLogger } from '../agent/src/base/logger.ts';
import { EventBus } from '../agent/src/events/bus.ts';
import type { BundleProblem } from '../agent/src/resources/content/schema.ts';
import type { DisplayConfig } from '../agent/src/resources/display/config.ts';
import { Display, type DisplayOptions } from '../agent/src/resources/display/display.ts';
import type { Bundles, Connector, Target } from '../agent/src/resources/display/ports.ts';
import { type DisplayState, displayState, type Rotation } from '../agent/src/resources/display/schema.ts';
import {
  type FailureKind,
  type TIMING as REAL_TIMING,
  recoveryStep,
  type Step,
} from '../agent/src/resources/display/timing.ts';
import { FakeBrowser, SETTINGS } from './fake-browser.ts';

export const CONNECTOR: Connector = {
  id: 'Virtual-1',
  connected: true,
  powered: true,
  modes: ['1280x720', '800x600'],
  make: 'RHT',
  model: 'QEMU Monitor',
  sizeMm: { width: 325, height: 203 },
};
/** Defaults. */
export const CONFIG: DisplayConfig = {
  rotation: 0,
  forced_mode: null,
  scale: null,
  resume_on_boot: false,
  boot_bundle: null,
  power_schedule: [],
  screens: {},
};
/** One entry of `display.screens`. */
export function screenConfig(
  rotation: Rotation | null,
  url: string | null,
  forced_mode: string | null = null,
): DisplayConfig['screens'][string] {
  return { rotation, forced_mode, url, browser: { backend: null } };
}
/** The real recovery steps, a hundred times as fast. */
const quick = (failures: number, kind: FailureKind): Step => {
  const step = recoveryStep(failures, kind);
  return { ...step, delayMs: step.delayMs / 100 };
};
export const TIMING: typeof REAL_TIMING = {
  stableMs: 60_000,
  awayMs: 60_000,
  pingEveryMs: 60_000,
  pongMs: 10,
  misses: 2,
  frameEveryMs: 60_000,
  frameMs: 10,
  frameAgainMs: 60_000,
  beginMs: 60_000,
  documentMs: 60_000,
  completeMs: 60_000,
  step: quick,
};

/** Stored bundles by name, with the damage of each. */
export class FakeBundles implements Bundles {
  readonly names = new Map<string, string | undefined>();
  /** Runs while a bundle is checked. */
  meanwhile = (): void => undefined;

  locate(name: string): unknown {
    return this.names.has(name) ? { path: name } : undefined;
  }

  async problem(name: string): Promise<BundleProblem | undefined> {
    const found = this.names.has(name);
    const damage = this.names.get(name);
    this.meanwhile();
    if (!found) return { code: 'bundle_missing', message: `There is no bundle ${name}.` };
    return damage === undefined ? undefined : { code: 'bundle_damaged', message: damage };
  }
}

/** A display on a fake browser, with the events that it sends and the targets that it saves. */
export class DisplayStage {
  readonly browser = new FakeBrowser();
  readonly bundles = new FakeBundles();
  readonly events: DisplayState[] = [];
  readonly saved: { target: Target; lasting: boolean }[] = [];
  /** The configuration of the display made last; a test may replace it. */
  config = CONFIG;
  settings = SETTINGS;
  unitRestarts = 0;
  memory = { bytes: 300e6, webProcesses: 2 };
  scriptTimeoutMs = 5000;
  /** How touches are turned. */
  touchRotation: Rotation | undefined;
  #display: Display | undefined;

  /** The one made last. */
  get display(): Display {
    assert.ok(this.#display, 'no display was made');
    return this.#display;
  }

  make(change: Partial<DisplayOptions> = {}): Display {
    const bus = new EventBus();
    bus.on(displayState, (state) => this.events.push(state));
    this.#display = new Display({
      browser: this.browser,
      compositor: this.browser,
      kiosk: {
        installed: true,
        restart: async () => {
          this.unitRestarts += 1;
        },
      },
      connectors: { read: async () => [CONNECTOR] },
      television: { read: async () => ({ state: 'no_cec' }), switch: async () => undefined },
      turnTouches: async (rotation) => {
        this.touchRotation = rotation;
      },
      browserData: undefined,
      browserMemory: async () => this.memory,
      totalBytes: 1024 ** 3,
      targetStore: {
        current: async () => undefined,
        last: async () => undefined,
        save: async (target, lasting) => void this.saved.push({ target, lasting }),
      },
      renderPage: async (notice) => (notice ? `notice ${notice.what} ${notice.why}` : 'waiting'),
      bundles: this.bundles,
      bundleUrl: (name) => `http://${name}.localhost:8081/`,
      bus,
      config: () => this.config,
      browserSettings: () => this.settings,
      clearDataOnBoot: false,
      scriptTimeoutMs: () => this.scriptTimeoutMs,
      log: createLogger('silent'),
      timing: TIMING,
      ...change,
    });
    return this.#display;
  }

  /** Makes and starts a display that shows a page. */
  async showing(url: string, change: Partial<DisplayOptions> = {}): Promise<void> {
    await this.make(change).start();
    this.browser.plug();
    await this.shown();
    await this.navigate(url);
    await this.shown();
  }

  /** Resolves when the browser has taken the load and sent its events. */
  async navigate(url: string): Promise<void> {
    const loads = this.browser.count(`load ${url}`);
    this.display.navigate(url);
    await this.until('the load', () => this.browser.count(`load ${url}`) > loads);
    await new Promise(setImmediate);
  }

  async until(what: string, condition: () => boolean): Promise<void> {
    const end = performance.now() + 60_000;
    while (!condition()) {
      if (performance.now() > end) {
        assert.fail(`${what} did not happen: ${JSON.stringify(this.display.state())}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }

  /** Waits until the target is on the screen. */
  shown(): Promise<void> {
    return this.until('the target to be shown', () => {
      const { loading, error } = this.display.state();
      return !loading && error === null;
    });
  }
}
