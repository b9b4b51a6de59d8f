/**
 * An appliance without a system: the agent's own parts in this process, with two slots, RAUC and a power supply that the
 * test plays. The agent from source runs on any computer, which it neither updates nor restarts.
 */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAdapters, type Ports } from '../../agent/src/adapters.ts';
import { createLogger } from '../../agent/src/base/logger.ts';
import { EventBus } from '../../agent/src/events/bus.ts';
import { readFlags } from '../../agent/src/flags.ts';
import { createApp } from '../../agent/src/links/app.ts';
import { listen } from '../../agent/src/links/http.ts';
import { EventSocket } from '../../agent/src/links/socket.ts';
import { serveUi } from '../../agent/src/links/ui.ts';
import { WebApp } from '../../agent/src/links/web-app.ts';
import { resources } from '../../agent/src/resources/all.ts';
import { ConfigStore } from '../../agent/src/resources/config/store.ts';
import { configuration, endpoints, topics } from '../../agent/src/resources/contract.ts';
import type { PowerAction } from '../../agent/src/resources/device/ports.ts';
import { Resources } from '../../agent/src/resources/resource.ts';
import type {
  BootSlots,
  BundleInstaller,
  InstallRequest,
  SlotFacts,
  SlotName,
} from '../../agent/src/resources/update/ports.ts';
import { asset } from '../../agent/src/system/assets.ts';
import { FileSystemSpace } from '../../agent/src/system/disk-space.ts';
import { waitFor } from '../../testing/wait.ts';

const log = createLogger('silent');
const NEW: SlotFacts = {
  bootable: true,
  content: 'unknown',
  version: null,
  installations: 0,
  activations: 0,
};
/** Uptime of the first start, which is halved with each further one, in s. */
const FIRST_UPTIME_S = 100_000;
const SOON = { timeoutMs: 60_000, intervalMs: 20 };

type PlayedPorts = Partial<Pick<Ports, 'peripheralInventory'>>;

/** Two slots, as RAUC and the boot loader know them. */
class Slots implements BundleInstaller {
  booted: SlotName = 'a';
  readonly content: Record<SlotName, string> = { a: '1.0.0', b: '1.0.0' };
  readonly #facts: Record<SlotName, SlotFacts> = { a: NEW, b: NEW };
  /** Which is tried first. */
  #first: SlotName = 'a';
  request: InstallRequest | undefined;
  #report: (fraction: number) => void = () => undefined;
  #end = Promise.withResolvers<string>();

  get other(): SlotName {
    return this.booted === 'a' ? 'b' : 'a';
  }

  readonly port: BootSlots = {
    read: async () => ({ booted: this.booted, slots: { ...this.#facts } }),
    versions: async () => ({ ...this.content }),
    markGood: async () => undefined,
    activate: async (which) => {
      const slot = which === 'booted' ? this.booted : this.other;
      const { activations } = this.#facts[slot];
      this.#change(slot, { bootable: true, activations: activations + 1 });
      this.#first = slot;
    },
  };

  async compatible(): Promise<string> {
    return 'test';
  }

  async begin(request: InstallRequest): Promise<void> {
    this.#end = Promise.withResolvers();
    this.request = request;
    this.#change(this.other, { bootable: false, content: 'incomplete' });
  }

  async untilIdle(progress: (fraction: number) => void, signal: AbortSignal): Promise<string> {
    this.#report = progress;
    signal.addEventListener('abort', () => this.#end.reject(signal.reason));
    return await this.#end.promise;
  }

  /** RAUC has been asked to install. */
  async begun(): Promise<void> {
    await waitFor(() => this.request !== undefined, { ...SOON, what: 'RAUC to be asked' });
  }

  /** @param fraction 0 to 1 */
  progress(fraction: number): void {
    this.#report(fraction);
  }

  finish(version: string): void {
    const { installations } = this.#facts[this.other];
    this.#change(this.other, { content: 'complete', installations: installations + 1, version });
    this.content[this.other] = version;
    this.request = undefined;
    this.#end.resolve('');
  }

  /** @param message RAUC's last error */
  fail(message: string): void {
    this.request = undefined;
    this.#end.resolve(message);
  }

  /** What the boot loader does. @param worksNot the slot that was tried does not start, so that the other one does */
  boot(worksNot = false): void {
    const tried = this.#first;
    this.booted = tried;
    if (!worksNot) return;
    this.booted = this.other;
    this.#change(tried, { bootable: false });
  }

  #change(slot: SlotName, change: Partial<SlotFacts>): void {
    this.#facts[slot] = { ...this.#facts[slot], ...change };
  }
}

export class Appliance {
  readonly folder: string;
  readonly slots = new Slots();
  /** What the agent has asked of the power supply, the last one first. */
  readonly ended: PowerAction[] = [];
  /** The data partition is to be emptied at the next start. */
  isReset = false;
  readonly pid = process.pid;
  readonly #ports: PlayedPorts;
  #address = '127.0.0.1:0';
  #bootedAt = 0;
  #boots = 0;
  #stops: (() => unknown)[] = [];

  /** @param ports what the test plays, besides slots and power */
  static async start(ports: PlayedPorts = {}): Promise<Appliance> {
    const appliance = new Appliance(await mkdtemp(join(tmpdir(), 'vitrine-appliance-')), ports);
    await appliance.#startAgent();
    return appliance;
  }

  private constructor(folder: string, ports: PlayedPorts) {
    this.folder = folder;
    this.#ports = ports;
  }

  get api(): string {
    return `http://${this.#address}/api/v1`;
  }

  /** Waits until the agent has asked for it, and ends the agent as the system does. */
  async goDown(action: PowerAction): Promise<void> {
    await waitFor(() => this.ended[0] === action, { ...SOON, what: action });
    this.ended.splice(0);
    await this.#stopAgent();
  }

  /** Starts the system again. @param worksNot the slot that is tried does not start */
  async boot({ worksNot = false } = {}): Promise<void> {
    this.slots.boot(worksNot);
    if (this.isReset) {
      for (const name of await readdir(this.folder)) await rm(join(this.folder, name), { recursive: true });
    }
    this.isReset = false;
    await this.#startAgent();
  }

  async stop(): Promise<void> {
    await this.#stopAgent();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  /** As agent/src/main.ts does. */
  async #startAgent(): Promise<void> {
    const args = ['--profile', 'generic', '--listen', this.#address, '--data', this.folder];
    const flags = readFlags([...args, '--content-port', '0']);
    const { board } = flags;
    this.#bootedAt = performance.now();
    this.#boots += 1;
    const real = await createAdapters(flags, this.slots.content[this.slots.booted], log, {
      problems: () => [],
    });
    const adapters = {
      ...real,
      ...this.#ports,
      slots: this.slots.port,
      installer: this.slots,
      bootId: `boot-${this.#boots}`,
      identity: {
        ...{ serial: 'serial-1', model: 'Test', slot: this.slots.booted },
        version: this.slots.content[this.slots.booted],
      },
      power: {
        check: async () => undefined,
        perform: async (action: PowerAction) => void this.ended.unshift(action),
      },
      dataReset: {
        check: async () => undefined,
        request: async () => {
          this.isReset = true;
        },
        withdraw: async () => {
          this.isReset = false;
        },
      },
      vitals: {
        read: async () => ({
          ...(await real.vitals.read()),
          // A start takes no time here: what has restarted would hardly be told from what has not.
          uptime_s: (performance.now() - this.#bootedAt) / 1000 + FIRST_UPTIME_S / 2 ** this.#boots,
        }),
      },
    };
    const bus = new EventBus(topics);
    const config = await ConfigStore.open({
      ...{ folder: board.dataFolder, contract: configuration, bus, log },
      board: { ...board, hasTimeZone: () => true, hasKeyboardLayout: () => true },
    });
    const disk = new FileSystemSpace(board.dataFolder);
    const created = new Resources({ board, bus, log, config, disk, asset }, adapters);
    await created.createAll(resources);
    const webApp = await WebApp.open({ isEnabled: () => true, read: asset });
    const app = createApp({
      endpoints,
      routes: created.all.flatMap(({ routes }) => [...routes]),
      log,
      webApp,
    });
    serveUi(app, webApp, () => true);
    const events = new EventSocket({ bus, log, sendToPage: async () => undefined });
    this.#stops.push(() => adapters.dbus.stop());
    await adapters.browser.start();
    this.#stops.push(() => adapters.browser.stop());
    for (const resource of created.all) {
      this.#stops.push(() => resource.stop?.());
      await resource.start?.();
    }
    const http = await listen(app, flags.listen, events.upgrade);
    this.#address = new URL(http.addresses[0] ?? '').host;
    this.#stops.push(
      () => app.close(),
      () => http.close(),
      () => events.close(),
    );
    for (const resource of created.all) resource.ready?.();
  }

  async #stopAgent(): Promise<void> {
    for (const stop of this.#stops.splice(0).reverse()) await stop();
  }
}
