import { mkdtempSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { HawkbitConfig } from '../agent/src/resources/update/fleet/config.ts';
import { FleetClient } from '../agent/src/resources/update/fleet/fleet-client.ts';
import { FleetFile } from '../agent/src/resources/update/fleet/fleet-file.ts';
import type { Timing } from '../agent/src/resources/update/fleet/fleet-state.ts';
import { FakeUpdater } from './fake-updater.ts';
import { waitFor } from './wait.ts';

const TIMING: Timing = {
  pollMs: { shortest: 20, longest: 50, usual: 50 },
  retryMs: { first: 20, last: 100 },
  resultMs: 20,
};
const REQUEST_TIMEOUT_MS = 2000;

/** A device: its fleet client, which can be restarted, a fake updater, and a file on the disk. */
export class FleetStage {
  readonly updater = new FakeUpdater();
  readonly folder = mkdtempSync(join(tmpdir(), 'vitrine-fleet-'));
  /** Everything that was logged, as JSON. */
  logged = '';
  config: HawkbitConfig;
  client: FleetClient;
  readonly #requestTimeoutMs: number;

  /** @param url of the server */
  constructor(
    t: TestContext,
    url: string,
    {
      token = null,
      requestTimeoutMs = REQUEST_TIMEOUT_MS,
    }: { token?: string | null; requestTimeoutMs?: number } = {},
  ) {
    this.config = { url, tenant: 'DEFAULT', controller_id: null, target_token: token, gateway_token: null };
    this.#requestTimeoutMs = requestTimeoutMs;
    this.client = this.#create();
    t.after(async () => {
      this.client.stop();
      await rm(this.folder, { recursive: true, force: true });
    });
  }

  /** Starts the agent's part, or starts it again. */
  async start(): Promise<void> {
    this.client.stop();
    this.client = this.#create();
    await this.client.start();
  }

  configure(change: Partial<HawkbitConfig>): void {
    this.config = { ...this.config, ...change };
    this.client.configChanged();
  }

  /** What is on the disk. */
  get stored(): string {
    return readFileSync(this.#path, 'utf8');
  }

  get #path(): string {
    return join(this.folder, 'hawkbit.json');
  }

  #create(): FleetClient {
    const log = (details: object, message?: string) => {
      this.logged += JSON.stringify([details, String(Object.values(details)), message]);
    };
    return new FleetClient({
      updater: this.updater,
      file: new FleetFile(this.folder, { warn: log }),
      config: () => this.config,
      serial: 'device-1',
      attributes: async () => ({ hw_boardname: 'vitrine-test', sw_version: this.updater.current.version }),
      tlsCa: () => undefined,
      log: { info: log, warn: log },
      timing: TIMING,
      requestTimeoutMs: this.#requestTimeoutMs,
    });
  }
}

/** Waits until a condition holds. */
export function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  timeoutMs = 20_000,
): Promise<boolean> {
  return waitFor(condition, { timeoutMs, what, intervalMs: 10 });
}
