import { spawn } from 'node:child_process';
import { close, constants, fstatSync, open, readSync, realpathSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isatty } from 'node:tty';
import { promisify } from 'node:util';
import { READABLE, type Readiness, readinessOf, WRITABLE } from '../base/readiness.ts';
import { errorCode } from '../base/system-error.ts';
import type { Presence, SerialDevice } from '../links/serial/device.ts';

const require = createRequire(import.meta.url);

const STTY_TIMEOUT_MS = 5000;
const GADGET_TTY = /^\/dev\/ttyGS\d+$/;
const openFile = promisify(open);
const closeFile = promisify(close);

/** Modem lines, by serialport's native binding. */
interface Native {
  asyncGet(fd: number): Promise<{ dcd: boolean }>;
}

/** Loaded late: an agent without a serial line needs no native code. */
function loadNative(): Native {
  const { asyncGet } = require('@serialport/bindings-cpp/dist/load-bindings.js');
  return { asyncGet };
}

/**
 * Opens a serial line without ever blocking. A tty is set to raw mode; any other character device (a virtio port) is
 * taken as it is.
 * @throws the system's error when it cannot be opened, is no character device or cannot be set to raw mode
 */
export async function openSerialDevice(path: string): Promise<SerialDevice> {
  const native = loadNative();
  const fd = await openFile(path, constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK);
  try {
    if (!isatty(fd)) {
      if (!fstatSync(fd).isCharacterDevice()) throw new Error(`${path} is no character device.`);
      return new VirtioPort(fd);
    }
    // Modem lines are believed of the gadget only, whose carrier is the host's DTR (and whose stock driver has
    // none): a UART with three wires never has a carrier.
    const carrier =
      GADGET_TTY.test(realpathSync(path)) &&
      (await native.asyncGet(fd).then(
        () => true,
        () => false,
      ));
    await stty(path, ['raw', '-echo', '-iexten', 'cread', carrier ? '-clocal' : 'clocal']);
    return new Tty(native, fd, carrier);
  } catch (error) {
    await closeFile(fd).catch(() => undefined);
    throw error;
  }
}

/**
 * Sets modes of a terminal; done by stty as Node has no termios of its own. It opens the line itself: a descriptor
 * that is handed to a child as standard input becomes a blocking one, for us too.
 */
async function stty(path: string, modes: string[]): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const child = spawn('stty', ['-F', path, ...modes], { stdio: 'ignore', timeout: STTY_TIMEOUT_MS });
  child.once('error', reject);
  child.once('exit', (code) =>
    code === 0 ? resolve() : reject(new Error(`stty failed with exit code ${code}.`)),
  );
  await promise;
}

/** What all character devices have in common. */
abstract class CharacterDevice implements SerialDevice {
  abstract readonly staysOpen: boolean;
  abstract readonly sendsWithoutCarrier: boolean;
  abstract presence(): Promise<Presence>;
  readonly fd: number;
  readonly #readiness: Readiness;
  #closed = false;

  /** @param readiness for tests */
  constructor(fd: number, readiness = readinessOf(fd)) {
    this.fd = fd;
    this.#readiness = readiness;
  }

  watch(events: { readable: boolean; writable: boolean }, onReady: () => void): void {
    if (this.#closed) return;
    this.#readiness.watch((events.readable ? READABLE : 0) | (events.writable ? WRITABLE : 0), onReady);
  }

  read(into: Buffer): number | 'nothing' | 'gone' {
    try {
      return readSync(this.fd, into) || 'gone';
    } catch (error) {
      return errorCode(error) === 'EAGAIN' ? 'nothing' : 'gone';
    }
  }

  write(bytes: Buffer): number | 'gone' {
    try {
      return writeSync(this.fd, bytes);
    } catch (error) {
      return errorCode(error) === 'EAGAIN' ? 0 : 'gone';
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#readiness.watch(0, () => undefined);
    // Off the main thread: closing a tty may wait for its output.
    await closeFile(this.fd).catch(() => undefined);
  }
}

/** A terminal line: gadget, UART, USB adapter, pty. */
class Tty extends CharacterDevice {
  readonly staysOpen = false;
  readonly sendsWithoutCarrier = true;
  readonly #native: Native;
  readonly #carrier: boolean;

  constructor(native: Native, fd: number, carrier: boolean) {
    super(fd);
    this.#native = native;
    this.#carrier = carrier;
  }

  async presence(): Promise<Presence> {
    if (!this.#carrier) return 'unknown';
    return (await this.#native.asyncGet(this.fd)).dcd ? 'here' : 'away';
  }
}

/**
 * A virtio port. While nobody holds its other end it reads as ended and poll() says so at once, every time: it is
 * asked again later instead. It can be opened by one process only.
 */
export class VirtioPort extends CharacterDevice {
  readonly staysOpen = true;
  readonly sendsWithoutCarrier = false;
  readonly #first = Buffer.allocUnsafe(4096);
  #held: Buffer | undefined;

  async presence(): Promise<Presence> {
    if (this.#held) return 'here';
    const got = super.read(this.#first);
    if (got === 'gone') return 'away';
    if (got !== 'nothing') this.#held = this.#first.subarray(0, got);
    return 'here';
  }

  override watch(events: { readable: boolean; writable: boolean }, onReady: () => void): void {
    super.watch(events, onReady);
    // What was taken to see the host does not make the port readable once more.
    if (this.#held && events.readable) setImmediate(() => this.#held && onReady());
  }

  override read(into: Buffer): number | 'nothing' | 'gone' {
    if (!this.#held) return super.read(into);
    const got = this.#held.copy(into);
    this.#held = undefined;
    return got;
  }
}
