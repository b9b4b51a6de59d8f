import type { PeerEvent, PeerProgram } from './bluetooth/peer-program.ts';

/** Time limit for events, in ms. */
const EVENT_MS = 90_000;

/**
 * `phone`: is found by inquiry and pairs without questions. `stranger`: is not found; it pairs by itself. `keyboard`: Bluetooth LE,
 * and wants a passkey to be typed. `crowd`: any number of advertisers.
 */
export type PeerKind = 'phone' | 'stranger' | 'keyboard' | 'crowd';

/** A Bluetooth device at the other end. */
export class BluetoothPeer {
  readonly name: string;
  /** `00:AA:01:01:00:42`; empty for a crowd. */
  readonly address: string;
  readonly #program: PeerProgram;

  constructor(program: PeerProgram, name: string, address: string) {
    this.#program = program;
    this.name = name;
    this.address = address;
  }

  /** A mark for {@link event}: now. */
  get mark(): number {
    return this.#program.mark;
  }

  /** Waits for `connected`, `paired`, `pairing_failed`, `passkey_wanted` or `disconnected` since `mark`. */
  async event(name: string, mark: number, timeoutMs = EVENT_MS): Promise<PeerEvent> {
    return await this.#program.event(this.name, name, mark, timeoutMs);
  }

  /** Connects to a device by BR/EDR and pairs with it. Throws if it is refused. */
  async pair(address: string): Promise<void> {
    await this.#run('pair', { address });
  }

  /** Types the passkey that the other device shows, after the event `passkey_wanted`. */
  async passkey(passkey: number): Promise<void> {
    await this.#run('passkey', { passkey });
  }

  /** Types text: letters, digits, space, tab, newline and backspace. */
  async type(text: string): Promise<void> {
    await this.#run('type', { text });
  }

  /** Presses power, sleep and wake. */
  async pressPowerKeys(): Promise<void> {
    await this.#run('power_keys');
  }

  /** Advertises with `count` random addresses, one after the other. */
  async crowd(count: number): Promise<void> {
    await this.#run('crowd', { count });
  }

  async #run(command: string, more: Record<string, unknown> = {}): Promise<void> {
    await this.#program.run({ do: command, peer: this.name, ...more });
  }
}
