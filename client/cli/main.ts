#!/usr/bin/env node
/** The command line `vitrine`: what a host does with a device, over the network or serial. */
import { closest } from '../../agent/src/base/spelling.ts';
import { USUAL_ADDRESS } from '../addresses.ts';
import { RefusedError } from '../channel.ts';
import { RequestError } from '../client.ts';
import { connect } from '../connect.ts';
import type { Device } from '../device.ts';
import { BundleError } from '../folder.ts';
import { SerialPortError } from '../tty.ts';
import { WaitError } from '../waits.ts';
import { ALL_COMMANDS } from './all-commands.ts';
import { type Options, optionLines, parseOptions, UsageError } from './arguments.ts';
import { CommandError, type Defined } from './command.ts';
import { printable } from './live-commands.ts';
import { Output } from './output.ts';
import { VERSION } from './version.ts';

/** What a script can tell from the exit code. */
const EXIT = { ok: 0, refused: 1, usage: 2, unreachable: 3, timeout: 4, interrupted: 130 } as const;

const GLOBAL = {
  host: {
    type: 'string',
    value: 'ADDRESS',
    help: `the device on the network (default: ${USUAL_ADDRESS}; $VITRINE_HOST)`,
  },
  serial: {
    type: 'string',
    value: 'PORT',
    help: 'the device on a serial port, such as /dev/ttyACM0 or COM3',
  },
  json: { type: 'boolean', help: 'print results as JSON, for scripts' },
  help: { type: 'boolean', short: 'h', help: 'print this, or the options of a command' },
  version: { type: 'boolean', help: 'print the version' },
} as const satisfies Options;

function usage(): string {
  const lines = ALL_COMMANDS.map(({ name, args, help }) => `  ${`${name} ${args}`.padEnd(34)} ${help}`);
  return `Usage: vitrine [options] command …\n\nCommands:\n${lines.join('\n')}\n\nOptions:\n${optionLines(GLOBAL)}`;
}

function usageOf({ name, args, help, options }: Defined): string {
  const own = Object.keys(options).length > 0 ? `\n\n${optionLines(options)}` : '';
  return `Usage: vitrine [options] ${`${name} ${args}`.trimEnd()}\n${help}${own}`;
}

/** The command that is named first, and where. */
function commandIn(args: readonly string[]): Defined | undefined {
  const names = args.filter((arg, index) => !arg.startsWith('-') && !takesValue(args[index - 1]));
  const [name] = names;
  if (name === undefined) return undefined;
  const found = ALL_COMMANDS.find((one) => one.name === name);
  if (found) return found;
  const meant = closest(
    name,
    ALL_COMMANDS.map((one) => one.name),
  );
  throw new UsageError(
    `there is no command "${name}"${meant === undefined ? '; vitrine --help lists them' : `; did you mean ${meant}?`}`,
  );
}

const takesValue = (option: string | undefined): boolean => option === '--host' || option === '--serial';

/** Runs one command line. @returns its exit code */
async function main(args: readonly string[]): Promise<number> {
  const command = commandIn(args);
  if (!command) {
    const { values } = parseOptions(GLOBAL, args);
    console.log(values.version ? VERSION : usage());
    return values.version || values.help ? EXIT.ok : EXIT.usage;
  }
  const { values, rest } = parseOptions({ ...command.options, ...GLOBAL }, args);
  if (values.help) {
    console.log(usageOf(command));
    return EXIT.ok;
  }
  const [, ...given] = rest;
  const [least, most] = command.count;
  if (given.length < least || given.length > most) throw new UsageError(usageOf(command));
  if (values.host !== undefined && values.serial !== undefined)
    throw new UsageError('give --host or --serial, not both');
  return await run(command, values, given);
}

async function run(
  command: Defined,
  values: Readonly<Record<string, unknown>>,
  args: readonly string[],
): Promise<number> {
  const { host, serial, json } = values;
  const address = String(serial ?? host ?? process.env.VITRINE_HOST ?? USUAL_ADDRESS);
  const out = new Output(json === true);
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  process.once('SIGTERM', () => stop.abort());
  let device: Promise<Device> | undefined;
  try {
    const open = (): Promise<Device> => (device ??= connect(address));
    await command.run({ device: open, address, out, signal: stop.signal }, values, args);
    return stop.signal.aborted ? EXIT.interrupted : EXIT.ok;
  } catch (error) {
    out.endProgress();
    if (stop.signal.aborted) return EXIT.interrupted;
    return report(error, address, out);
  } finally {
    await (await device?.catch(() => undefined))?.close();
  }
}

/** Says what went wrong. @returns the exit code */
function report(error: unknown, address: string, out: Output): number {
  const [code, text] = explain(error, address);
  if (out.isJson && error instanceof RequestError) {
    process.stdout.write(
      `${JSON.stringify({ error: { code: error.code, message: error.message, details: error.details } })}\n`,
    );
  }
  console.error(`vitrine: ${printable(text)}`);
  return code;
}

function explain(error: unknown, address: string): [code: number, text: string] {
  if (error instanceof UsageError) return [EXIT.usage, error.message];
  const isRefused = [RequestError, RefusedError, BundleError, CommandError].some(
    (kind) => error instanceof kind,
  );
  if (isRefused && error instanceof Error) return [EXIT.refused, error.message];
  if (error instanceof WaitError) return [error.isTimeout ? EXIT.timeout : EXIT.refused, error.message];
  if (!(error instanceof Error)) return [EXIT.refused, String(error)];
  if (error.name === 'TimeoutError') return [EXIT.timeout, `${address} does not answer in time`];
  // Of a file of this computer.
  if ('path' in error && 'syscall' in error) return [EXIT.usage, error.message];
  if (error instanceof SerialPortError) return [EXIT.unreachable, error.message];
  return [EXIT.unreachable, `${address}: ${error.message}`];
}

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  if (!(error instanceof UsageError)) throw error;
  console.error(`vitrine: ${error.message}`);
  return EXIT.usage;
});
