/** The serial ports of this computer. For Node. */
import { existsSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import { errorMessage } from '../agent/src/base/system-error.ts';
import { withTimeout } from '../agent/src/base/timeout.ts';
import { type Holder, holdersOf, listed } from './tty-holders.ts';

const OPEN_TIMEOUT_MS = 5000;
/** systemd's file of the running service. */
const MODEM_MANAGER = '/run/systemd/units/invocation:ModemManager.service';
const [UV_READABLE, UV_WRITABLE] = [1, 2];

/** Why a serial port cannot be used. `silent`: it is open, but no device answers. */
export type SerialPortProblem = 'busy' | 'denied' | 'missing' | 'silent' | 'failed';

/** A serial port that cannot be used. The message says what to do. */
export class SerialPortError extends Error {
  override name = 'SerialPortError';
  readonly code: SerialPortProblem;

  constructor(code: SerialPortProblem, message: string) {
    super(message);
    this.code = code;
  }
}

/** An open tty. Types of the package serialport are not named: it need not be installed. */
export interface Tty extends Duplex {
  close(done?: (error: Error | null) => void): void;
}

/**
 * Opens a tty in raw mode, for this process only.
 * @throws SerialPortError also when another program has it open without a lock: each would get a part of what comes
 */
export async function openTty(path: string): Promise<Tty> {
  const { SerialPort } = await import('serialport').catch(() => {
    throw new Error(`the serial link ${path} needs the package serialport: npm install serialport`);
  });
  // Opening a port raises DTR, which would end the session of the program that uses it.
  const others = holdersOf(path).filter(({ pid }) => pid !== process.pid);
  if (others.length > 0) throw busy(path, others);
  // The line's speed has no effect on USB.
  const port = new SerialPort({ path, baudRate: 115_200, autoOpen: false });
  const opened = Promise.withResolvers<void>();
  port.open((error) => (error ? opened.reject(error) : opened.resolve()));
  const late = (): Error => new Error(`waited ${OPEN_TIMEOUT_MS / 1000} s for it to open`);
  await withTimeout(opened.promise, OPEN_TIMEOUT_MS, late).catch((error: unknown) => {
    // It may open later.
    void opened.promise.then(() => port.close()).catch(() => undefined);
    throw openError(path, errorMessage(error), holdersOf(path));
  });
  if (port.port && 'poller' in port.port) waitForBoth(port.port.poller);
  return port;
}

/**
 * Explains why a port does not open. Pure, but for the existence of ModemManager's folder.
 * @param reason of the package serialport, in the words of the system
 */
export function openError(path: string, reason: string, holders: readonly Holder[]): SerialPortError {
  // On Windows, "Access denied" is the error of a port in use.
  if (/lock port|busy|temporarily unavailable|access denied/i.test(reason)) return busy(path, holders);
  const failed = `${path} cannot be opened: `;
  if (/permission denied/i.test(reason)) {
    return new SerialPortError(
      'denied',
      `${failed}this user may not. Add the user to the group of serial ports, then log in again: sudo usermod -a -G dialout $USER (on Arch: uucp)`,
    );
  }
  if (/no such file|file not found|cannot find/i.test(reason)) {
    return new SerialPortError(
      'missing',
      `${failed}there is no such port. A device shows its port up to 30 s after power-on, and needs a cable that carries data`,
    );
  }
  return new SerialPortError('failed', failed + reason);
}

/** @param holders of the port, as far as they are known */
function busy(path: string, holders: readonly Holder[]): SerialPortError {
  const own = holders.some(({ pid }) => pid === process.pid);
  const others = holders.filter(({ pid }) => pid !== process.pid);
  const who =
    others.length > 0
      ? `another program has it open: ${listed(others)}. End it, or wait until it has closed the port`
      : own
        ? 'this program has it open already'
        : 'another program has it open';
  // An ordinary user cannot see what this service of root has open.
  const isProbed =
    others.some(({ name }) => name === 'ModemManager') || (holders.length === 0 && existsSync(MODEM_MANAGER));
  const hint = isProbed
    ? '. ModemManager looks for modems at new ports for some seconds; the udev rule ATTRS{idVendor}=="1d6b", ATTRS{idProduct}=="0104", ENV{ID_MM_DEVICE_IGNORE}="1" keeps it away'
    : '';
  return new SerialPortError('busy', `${path} cannot be opened: ${who}${hint}`);
}

/** The error of a port that is open, but where no device answers. */
export function silentError(path: string, seconds: number): SerialPortError {
  const others = holdersOf(path).filter(({ pid }) => pid !== process.pid);
  const why =
    others.length > 0
      ? `another program reads it, too: ${listed(others)}`
      : 'does another program use it, or is it no Vitrine device?';
  return new SerialPortError('silent', `${path} answers nothing within ${seconds} s: ${why}`);
}

/** The part of serialport's poller that is used here. */
interface Poller {
  poll(events: number): void;
  listenerCount(event: 'readable' | 'writable'): number;
}

/**
 * Makes a port wait for reading and writing at once. serialport's poller (13.0.0, `Poller::poll` in poller.cpp) forgets that a
 * write waits as soon as a read waits, too: an upload would stand still until the device sends something.
 */
function waitForBoth(poller: Poller): void {
  const poll = poller.poll.bind(poller);
  poller.poll = (events) => {
    const reading = poller.listenerCount('readable') > 0 ? UV_READABLE : 0;
    const writing = poller.listenerCount('writable') > 0 ? UV_WRITABLE : 0;
    poll(events | reading | writing);
  };
}
