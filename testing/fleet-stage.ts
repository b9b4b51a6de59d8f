import { mkdtempSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { FleetConfig } from '../agent/src/resources/update/fleet/config.ts';
import { FleetClient } from '../agent/src/resources/update/fleet/fleet-client.ts';
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
  readonly #dataFolder = mkdtempSync(join(tmpdir(), 'vitrine-fleet-'));
  readonly folder = join(this.#dataFolder, 'update');
  /** Everything that was logged, as JSON. */
  logged = '';
  config: FleetConfig;
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
      // The client may still be writing its file.
      await rm(this.#dataFolder, { recursive: true, force: true, maxRetries: 10 });
    });
  }

  /** Starts the agent's part, or starts it again. */
  async start(): Promise<void> {
    this.client.stop();
    this.client = this.#create();
    await this.client.start();
  }

  configure(change: Partial<FleetConfig>): void {
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
    const { updater } = this;
    return new FleetClient({
      installation: updater,
      trial: updater,
      board: { dataFolder: this.#dataFolder, runtimeFolder: this.#dataFolder },
      identity: {
        serial: 'device-1',
        model: 'virt',
        get version() {
          return updater.current.version;
        },
      },
      compatible: async () => 'vitrine-test',
      config: () => this.config,
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
