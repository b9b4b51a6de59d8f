/** A program that drives peripherals for the agent: `peripheral-io.mjs --kind hid|serial|usb --socket PATH`. */
import { parseArgs } from 'node:util';
import { limitedLog } from '../base/limited-log.ts';
import { createLogger } from '../base/logger.ts';
import { killThisProcess, runUntilSignal } from '../base/socket-program.ts';
import { errorMessage } from '../base/system-error.ts';
import { watchFor } from '../base/watch.ts';
import type { Driver, DriverOptions } from './driver.ts';
import { HidDriver } from './hid.ts';
import { Program } from './program.ts';
import { KINDS } from './protocol.ts';
import { SerialDriver } from './serial.ts';
import { UsbDriver } from './usb.ts';

type Kind = (typeof KINDS)[number];

const USAGE = 'usage: peripheral-io.mjs --kind hid|serial|usb --socket PATH';
/** A native call that takes longer, in ms, hangs: the kernel's own waits for a device end after 5 s. */
const HANG_MS = 8000;

const DRIVERS: Readonly<Record<Kind, (options: DriverOptions) => Driver>> = {
  hid: (options) => new HidDriver(options),
  serial: (options) => new SerialDriver(options),
  usb: (options) => new UsbDriver(options),
};

/** @throws Error when the arguments are wrong */
function readArguments(args: string[]): { kind: Kind; socket: string } {
  const { values } = parseArgs({ args, options: { kind: { type: 'string' }, socket: { type: 'string' } } });
  const kind = KINDS.find((each) => each === values.kind);
  if (!kind) throw new Error('--kind is missing or unknown');
  if (!values.socket) throw new Error('--socket is missing');
  return { kind, socket: values.socket };
}

function run(): void {
  let options: ReturnType<typeof readArguments>;
  try {
    options = readArguments(process.argv.slice(2));
  } catch (error) {
    console.error(`${errorMessage(error)}\n${USAGE}`);
    process.exitCode = 2;
    return;
  }
  const logger = createLogger('info');
  const watch = watchFor((what) => {
    logger.fatal({ call: what }, 'a call to a peripheral hangs; this process ends, and is started again');
    killThisProcess();
  }, HANG_MS);
  runUntilSignal(new Program({ ...options, watch, log: limitedLog(logger) }, DRIVERS[options.kind]));
}

// The build imports this module, too.
if (import.meta.main) run();
