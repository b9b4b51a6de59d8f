import type { Logger } from '../../base/logger.ts';
import type { Policy } from './policy.ts';
import type { GadgetIdentity, Peripheral, PeripheralInventory } from './ports.ts';
import type { Peripherals } from './schema.ts';
import { describe } from './status.ts';

/** Shortest time between two events, in ms: a page may open and close a peripheral in a loop. */
const INTERVAL_MS = 250;

export interface PeripheralsStatusOptions {
  /** Undefined on a system whose peripherals are not the agent's: there are none. */
  inventory: PeripheralInventory | undefined;
  /** The present policy. */
  policy: () => Policy;
  /** Whether the board has a USB host port. */
  hostPort: boolean;
  /**
   * Called at each reading with what the policy decides about: what was found, or nothing on a board without a USB host
   * port, where it is inert for devices on Bluetooth, too.
   */
  found: (peripherals: readonly Peripheral[], gadget: GadgetIdentity | undefined) => void;
  /** Called with each description that differs from the one before, at most four times a second. */
  emit: (peripherals: Peripherals) => void;
  log: Logger;
}

/** Reads and describes the peripherals when something has changed, one reading at a time. */
export class PeripheralsStatus {
  readonly #options: PeripheralsStatusOptions;
  #opened: ReadonlyMap<string, string> = new Map();
  #pageOrigin: string | null = null;
  #unwatch: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #lastEvent = Number.NEGATIVE_INFINITY;
  /** The last description that hosts may know, as JSON. */
  #known: string | undefined;
  /** The reading under way. */
  #reading: Promise<Peripherals> | undefined;
  /** The reading after that, for those who asked during it. */
  #next: Promise<Peripherals> | undefined;

  constructor(options: PeripheralsStatusOptions) {
    this.#options = options;
  }

  /** From now on changes are reported. */
  start(): void {
    this.#unwatch = this.#options.inventory?.watch(() => this.touched()) ?? (() => undefined);
    this.#readLogged();
  }

  stop(): void {
    this.#unwatch?.();
    this.#unwatch = undefined;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /**
   * What pages have open, and the page that is displayed.
   * @param opened origin of the page by the peripheral's id
   */
  update(opened: ReadonlyMap<string, string>, pageOrigin: string | null): void {
    const isSame =
      pageOrigin === this.#pageOrigin &&
      opened.size === this.#opened.size &&
      [...opened].every(([id, origin]) => this.#opened.get(id) === origin);
    if (isSame) return;
    this.#opened = new Map(opened);
    this.#pageOrigin = pageOrigin;
    this.touched();
  }

  /** Something may have changed, as the policy: it is read soon, and reported if the description has changed. */
  touched(): void {
    if (!this.#unwatch || this.#timer) return;
    const wait = Math.max(0, this.#lastEvent + INTERVAL_MS - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#readLogged();
    }, wait).unref();
  }

  /** The description by a reading that begins now or, if one is under way, after it. */
  read(): Promise<Peripherals> {
    if (this.#next) return this.#next;
    if (!this.#reading) return this.#begin();
    const after = () => {
      this.#next = undefined;
      return this.#begin();
    };
    this.#next = this.#reading.then(after, after);
    return this.#next;
  }

  #begin(): Promise<Peripherals> {
    this.#reading = this.#readAndReport().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readAndReport(): Promise<Peripherals> {
    const { inventory, policy, hostPort, found, emit } = this.#options;
    const peripherals = (await inventory?.list()) ?? [];
    // Later, as it may appear at the board's own port during a reading.
    const gadget = await inventory?.gadget();
    found(hostPort ? peripherals : [], gadget);
    const [opened, pageOrigin] = [this.#opened, this.#pageOrigin];
    const described = describe({ policy: policy(), gadget, peripherals, opened, pageOrigin, hostPort });
    const json = JSON.stringify(described);
    if (!this.#unwatch || json === this.#known) return described;
    if (this.#known === undefined) {
      this.#known = json;
    } else if (performance.now() < this.#lastEvent + INTERVAL_MS) {
      this.touched();
    } else {
      this.#known = json;
      this.#lastEvent = performance.now();
      emit(described);
    }
    return described;
  }

  #readLogged(): void {
    this.read().catch((error: unknown) => {
      this.#options.log.error({ err: error }, 'the peripherals could not be read');
    });
  }
}
