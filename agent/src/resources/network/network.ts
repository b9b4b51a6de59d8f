import type { EventBus } from '../../events/bus.ts';
import { type Network as NetworkState, networkChanged } from './schema.ts';

/** Changes come in bursts (link up, tentative address, route). One event follows this long after the last, in ms. */
const SETTLE_MS = 100;
/** A burst that goes on is reported after this time, in ms. */
const MAX_DELAY_MS = 1000;

/** The kernel's network. */
export interface NetworkSource {
  read(): NetworkState;
  /** Calls `changed` whenever something may have changed, until the returned function is called. */
  watch(changed: () => void): () => void;
}

/** Hostname, interfaces and addresses, with an event for every change. */
export class Network {
  readonly #bus: EventBus;
  readonly #source: NetworkSource;
  #last: string;
  #timer: NodeJS.Timeout | undefined;
  #burstStart: number | undefined;
  #unwatch: (() => void) | undefined;

  constructor({ bus, source }: { bus: EventBus; source: NetworkSource }) {
    this.#bus = bus;
    this.#source = source;
    this.#last = JSON.stringify(source.read());
  }

  /** Reads the current state. */
  get(): NetworkState {
    return this.#source.read();
  }

  /** Current addresses without those of Wi-Fi interfaces, on which nobody can reach the API, and of loopback, one of
   * which every device has (SHARED_ADDRESS). */
  addresses(): string[] {
    const { interfaces } = this.get();
    return interfaces.filter(({ name }) => !name.startsWith('wl')).flatMap((entry) => entry.addresses);
  }

  start(): void {
    this.#unwatch = this.#source.watch(() => this.#touched());
    this.#touched(); // finds changes since construction
  }

  stop(): void {
    this.#unwatch?.();
    clearTimeout(this.#timer);
  }

  #touched(): void {
    const now = performance.now();
    this.#burstStart ??= now;
    clearTimeout(this.#timer);
    const left = this.#burstStart + MAX_DELAY_MS - now;
    this.#timer = setTimeout(() => this.#settle(), Math.min(SETTLE_MS, Math.max(left, 0)));
    this.#timer.unref();
  }

  #settle(): void {
    this.#burstStart = undefined;
    let state: NetworkState;
    try {
      state = this.#source.read();
    } catch {
      this.#touched(); // the system has no file descriptor or memory for it now
      return;
    }
    const text = JSON.stringify(state);
    if (text === this.#last) return;
    this.#last = text;
    this.#bus.emit(networkChanged, state);
  }
}
