import { randomInt } from 'node:crypto';
import { Budget } from '../../base/budget.ts';
import type { Records } from '../../base/limited-log.ts';
import { errorMessage } from '../../base/system-error.ts';
import { ApiError } from '../../contract/errors.ts';
import { answerTo, isInput, mayStayConnected, type PairingFacts } from './pairing-policy.ts';
import type { BluetoothRadio, PairingAgent, PairingAnswer, PairingRequest, RemoteDevice } from './ports.ts';
import type { Pairing as ShownPairing } from './schema.ts';

/** A number of another device's pairing is displayed no longer than this, in ms. */
const SHOWN_MS = 60_000;
/** A connection that was not ended is tried again after this time, in ms. */
const AGAIN_MS = 2000;
/** Most devices that have paired by themselves: keys are stored for each of them. */
const MAX_STRANGERS = 20;
/** Numbers that devices which pair by themselves may have on the screen: so many at once, then one in 20 s. */
const NOTICES = { perSecond: 1 / 20, atOnce: 3 };

export interface PairingOptions {
  radio: BluetoothRadio;
  log: Pick<Records, 'info' | 'warn'>;
  /** Id of the adapter; undefined without one. */
  adapter: () => string | undefined;
  /** `bluetooth.discoverable` while Bluetooth is enabled. */
  discoverable: () => boolean;
  /** Lets a device pair, until it is called with undefined. Resolves when the adapter is ready for it. */
  open: (device: string | undefined) => Promise<void>;
  released: () => void;
  /** What `shown` returns has changed. */
  changed: () => void;
}

/** What is displayed. */
interface Shown {
  device: RemoteDevice;
  passkey: string | null;
  /** The passkey must be typed on the device. */
  isTyped?: boolean;
}

/** Pairs with devices, and answers what the daemon asks about those that want to pair or connect. */
export class Pairing implements PairingAgent {
  readonly #options: PairingOptions;
  /** Id of the device that `pair` pairs with; it has permission until it is trusted. */
  #device: string | undefined;
  #isBusy = false;
  #shown: Shown | undefined;
  #timer: NodeJS.Timeout | undefined;
  #again: NodeJS.Timeout | undefined;
  /** Ids of devices whose connection is being ended. */
  readonly #ending = new Set<string>();
  readonly #notices = new Budget(NOTICES.perSecond, NOTICES.atOnce);

  constructor(options: PairingOptions) {
    this.#options = options;
  }

  get shown(): ShownPairing | null {
    if (!this.#shown) return null;
    const { device, passkey } = this.#shown;
    return { address: device.address, name: device.name, passkey };
  }

  /** Whether the passkey of `shown` must be typed on the device; else the device shows it, too. */
  get isTyped(): boolean {
    return this.#shown?.isTyped ?? false;
  }

  /**
   * Pairs, trusts and connects a device. @returns its id
   * @throws ApiError `conflict` while another pairing runs, `unavailable` with the reason
   */
  async pair(device: RemoteDevice): Promise<string> {
    const { radio, log, open } = this.#options;
    const { id } = device;
    if (this.#isBusy) throw new ApiError('conflict', 'Another device is being paired.');
    this.#isBusy = true;
    this.#device = id;
    this.#show({ device, passkey: null });
    try {
      await open(id);
      await radio.pair(id);
      await radio.trust(id);
      // The number is not needed any more.
      this.#show(undefined);
      if (isInput(radio.devices.get(id))) {
        // It connects by itself when it is used.
        await radio
          .connect(id)
          .catch((error: unknown) => log.info({ err: error }, 'a paired device was not connected'));
      }
      return id;
    } finally {
      this.#device = undefined;
      this.#isBusy = false;
      this.#show(undefined);
      await open(undefined).catch((error: unknown) => log.warn({ err: error }, 'pairing was not closed'));
    }
  }

  answer(request: PairingRequest): PairingAnswer {
    const strangers = [...this.#options.radio.devices.values()].filter(isStranger);
    const { device } = request;
    const isOpen =
      this.#options.discoverable() &&
      strangers.length < MAX_STRANGERS &&
      // One that begins again and again would keep its name on the screen. The number is told again for each key.
      (request.kind === 'service' ||
        device === this.#device ||
        device === this.#shown?.device.id ||
        this.#notices.take());
    const answer = answerTo(request, this.#facts(isOpen), newPin);
    if (!answer.accepted) {
      this.#options.log.info({ kind: request.kind }, 'a Bluetooth device was refused');
      // The daemon goes on with a number that it only wants to be displayed.
      if (request.kind === 'display') this.#disconnect(request.device);
      return answer;
    }
    if (request.kind === 'display') this.#showFor(request.device, request.passkey, true);
    if (request.kind === 'confirm') this.#showFor(request.device, request.passkey, false);
    if (answer.pin !== undefined) this.#showFor(request.device, answer.pin, true);
    return answer;
  }

  cancel(): void {
    if (this.#device === undefined) this.#show(undefined);
  }

  released(): void {
    this.cancel();
    this.#options.released();
  }

  /** Ends connections of devices that are not trusted, and removes a number that is not needed any more. */
  devicesChanged(): void {
    const facts = this.#facts(this.#options.discoverable());
    const connected = [...this.#options.radio.devices.values()].filter((device) => device.connected);
    for (const id of this.#ending) if (!connected.some((device) => device.id === id)) this.#ending.delete(id);
    for (const device of connected) if (!mayStayConnected(device, facts)) this.#disconnect(device.id);
    const shownFor = this.#shown?.device.id;
    if (shownFor === undefined || shownFor === this.#device) return;
    if (!connected.some(({ id, paired }) => id === shownFor && !paired)) this.#show(undefined);
  }

  stop(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#again);
  }

  #facts(discoverable: boolean): PairingFacts {
    return { adapter: this.#options.adapter(), discoverable, pairing: this.#device };
  }

  /** Another device that pairs at the same time must not replace the number that somebody is about to type. */
  #showFor(id: string, passkey: string, isTyped: boolean): void {
    if (this.#device !== undefined && id !== this.#device) return;
    const device = this.#options.radio.devices.get(id);
    if (device) this.#show({ device, passkey, isTyped });
  }

  #show(shown: Shown | undefined): void {
    clearTimeout(this.#timer);
    if (shown) this.#timer = setTimeout(() => this.#show(undefined), SHOWN_MS).unref();
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#options.changed();
  }

  #disconnect(id: string): void {
    const { radio, log } = this.#options;
    if (this.#ending.has(id)) return;
    this.#ending.add(id);
    radio.disconnect(id).catch((error: unknown) => {
      this.#ending.delete(id);
      clearTimeout(this.#again);
      this.#again = setTimeout(() => this.devicesChanged(), AGAIN_MS).unref();
      log.warn({ reason: errorMessage(error) }, 'a Bluetooth device that is not trusted stays connected');
    });
  }
}

function isStranger({ paired, trusted }: RemoteDevice): boolean {
  return paired && !trusted;
}

/** Six digits: keyboards of that time have them. */
function newPin(): string {
  return String(randomInt(1_000_000)).padStart(6, '0');
}
