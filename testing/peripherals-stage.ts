/** What is plugged in, as a test says, with the configuration and the endpoints as in the agent. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { createLogger } from '../agent/src/base/logger.ts';
import { EventBus } from '../agent/src/events/bus.ts';
import { createApp } from '../agent/src/links/app.ts';
import { type HttpLink, listen } from '../agent/src/links/http.ts';
import { configRoutes } from '../agent/src/resources/config/index.ts';
import { ConfigStore } from '../agent/src/resources/config/store.ts';
import { configuration, endpoints } from '../agent/src/resources/contract.ts';
import { peripheralsConfig } from '../agent/src/resources/peripherals/config.ts';
import { PeripheralsStatus } from '../agent/src/resources/peripherals/peripherals-status.ts';
import type { Peripheral, PeripheralInventory } from '../agent/src/resources/peripherals/ports.ts';
import { getPeripherals } from '../agent/src/resources/peripherals/schema.ts';
import { serve } from '../agent/src/resources/route.ts';

const log = createLogger('silent');

/** The peripherals that a test has plugged in. */
export class FakeInventory implements PeripheralInventory {
  #plugged: readonly Peripheral[] = [];
  readonly #listeners = new Set<() => void>();

  /** Replaces what is plugged in. */
  plug(...all: readonly Peripheral[]): void {
    this.#plugged = all;
    for (const listener of this.#listeners) listener();
  }

  async list(): Promise<readonly Peripheral[]> {
    return this.#plugged;
  }

  async gadget(): Promise<undefined> {
    return undefined;
  }

  watch(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

/** `GET /device/peripherals` and `/config` over HTTP. */
export class PeripheralsStage {
  readonly inventory = new FakeInventory();
  readonly status: PeripheralsStatus;
  readonly config: ConfigStore;
  hostPort = true;
  /** Patches of the configuration so far. */
  patches = 0;
  readonly #folder: string;
  readonly #app: FastifyInstance;
  #http: HttpLink | undefined;

  static async open(): Promise<PeripheralsStage> {
    const folder = await mkdtemp(join(tmpdir(), 'vitrine-peripherals-'));
    const bus = new EventBus();
    const config = await ConfigStore.open({
      ...{ folder, contract: configuration, bus, log },
      board: { dualBandRadio: false, hasTimeZone: () => true, hasKeyboardLayout: () => true },
    });
    const stage = new PeripheralsStage(folder, config);
    bus.on(configuration.configChanged, () => {
      stage.patches += 1;
    });
    stage.#http = await listen(stage.#app, [{ host: '127.0.0.1', port: 0 }]);
    return stage;
  }

  private constructor(folder: string, config: ConfigStore) {
    this.#folder = folder;
    this.config = config;
    this.status = new PeripheralsStatus({
      inventory: this.inventory,
      policy: () => config.get(peripheralsConfig),
      hostPort: true,
      found: () => undefined,
      emit: () => undefined,
      log,
    });
    const read = async () => ({ ...(await this.status.read()), host_port: this.hostPort });
    const routes = [...configRoutes(configuration, config), serve(getPeripherals, read)];
    this.#app = createApp({ endpoints, routes, log });
  }

  /** `http://127.0.0.1:PORT` */
  get address(): string {
    return this.#http?.addresses[0] ?? '';
  }

  async close(): Promise<void> {
    this.status.stop();
    await this.#app.close();
    await this.#http?.close();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
