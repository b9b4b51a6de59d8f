import { Backoff } from '../../base/backoff.ts';
import type { Logger } from '../../base/logger.ts';
import { errorMessage } from '../../base/system-error.ts';
import type { Announcer } from '../../resources/discovery/ports.ts';
import type { BusCall, SystemBus } from '../dbus/bus.ts';
import { BusError, shaped, text } from '../dbus/values.ts';

const NAME = 'org.freedesktop.resolve1';
const MANAGER = {
  ...{ destination: NAME, path: '/org/freedesktop/resolve1', interface: 'org.freedesktop.resolve1.Manager' },
  timeoutMs: 5000,
};
/** Key of the service in systemd-resolved; no part of what is announced. */
const ID = 'vitrine';
const OLD = `${MANAGER.path}/dnssd/${ID}`;
const EXISTS = `${NAME}.DnssdServiceExists`;
const FIRST_RETRY_MS = 2000;
const LAST_RETRY_MS = 5 * 60_000;
/** The service is named after the host: one name for one device, also where several are in view. */
const INSTANCE = '%H';
const TYPE = '_vitrine._tcp';
const PORT = 80;
/** Longest entry of a TXT record, with its key, in bytes (RFC 6763, 6.1). */
const MAX_ENTRY = 255;
const parsePath = shaped(text);

/**
 * Announces the device through systemd-resolved (org.freedesktop.resolve1(5)), on the interfaces where it answers for the
 * device's names. resolved forgets the service when it exits.
 */
export class ResolvedAnnouncer implements Announcer {
  readonly #dbus: SystemBus;
  readonly #log: Logger;
  #entries: (() => Readonly<Record<string, string>>) | undefined;
  #unwatch: (() => void) | undefined;
  /** Object of the registered service. */
  #registered: string | undefined;
  readonly #backoff = new Backoff(FIRST_RETRY_MS, LAST_RETRY_MS);
  #retry: NodeJS.Timeout | undefined;
  /** The steps, one after the other. */
  #work: Promise<void> = Promise.resolve();

  constructor({ dbus, log }: { dbus: SystemBus; log: Logger }) {
    this.#dbus = dbus;
    this.#log = log;
  }

  start(entries: () => Readonly<Record<string, string>>): void {
    this.#entries = entries;
    this.#unwatch = this.#dbus.watch(NAME, (owner) => {
      this.#registered = undefined;
      if (owner !== undefined) this.changed();
    });
  }

  changed(): void {
    this.#next(async () => {
      await this.#withdraw();
      const entries = this.#entries?.();
      if (entries) await this.#register(entries);
    });
  }

  async stop(): Promise<void> {
    this.#unwatch?.();
    this.#entries = undefined;
    this.#next(() => this.#withdraw());
    await this.#work;
  }

  #next(step: () => Promise<void>): void {
    clearTimeout(this.#retry);
    this.#work = this.#work.then(step).then(
      () => this.#backoff.reset(),
      (error: unknown) => {
        this.#log.warn({ reason: errorMessage(error) }, 'the device cannot be announced to hosts');
        if (this.#entries) this.#retry = setTimeout(() => this.changed(), this.#backoff.next()).unref();
      },
    );
  }

  async #register(entries: Readonly<Record<string, string>>): Promise<void> {
    const record = Object.entries(entries).map(([key, value]) => [
      key,
      cut(value, MAX_ENTRY - key.length - 1),
    ]);
    const call: BusCall = {
      ...{ ...MANAGER, member: 'RegisterService' },
      args: [
        ['s', ID],
        ['s', INSTANCE],
        ['s', TYPE],
        ['q', PORT],
        ['q', 0],
        ['q', 0],
        ['aa{say}', [Object.fromEntries(record)]],
      ],
    };
    try {
      [this.#registered] = parsePath(await this.#dbus.call(call));
    } catch (error) {
      if (!(error instanceof BusError) || error.errorName !== EXISTS) throw error;
      // From before this program was killed: resolved keeps it.
      await this.#unregister(OLD);
      [this.#registered] = parsePath(await this.#dbus.call(call));
    }
  }

  async #withdraw(): Promise<void> {
    const path = this.#registered;
    this.#registered = undefined;
    if (path !== undefined) await this.#unregister(path);
  }

  async #unregister(path: string): Promise<void> {
    await this.#dbus.call({ ...{ ...MANAGER, member: 'UnregisterService' }, args: [['o', path]] });
  }
}

/** The beginning of a text in UTF-8, without a part of a character at its end. */
function cut(text: string, bytes: number): Buffer {
  const whole = Buffer.from(text);
  let end = Math.min(whole.length, bytes);
  // Bytes 10xxxxxx continue a character.
  while (end < whole.length && ((whole[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return whole.subarray(0, end);
}
