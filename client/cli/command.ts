/** What a command of `vitrine` is. */
import type { Device } from '../device.ts';
import type { Options, Values } from './arguments.ts';
import type { Output } from './output.ts';

/** What a command works with. */
export interface Context {
  /** Connects to the device that the command line names. */
  device(): Promise<Device>;
  /** Its address, as it was given. */
  address: string;
  out: Output;
  /** Aborts when the user interrupts the command. */
  signal: AbortSignal;
}

/** The device has not done what was asked, or it cannot be done. The message is one sentence. */
export class CommandError extends Error {
  override name = 'CommandError';
}

export interface Command {
  name: string;
  /** Its arguments, as in `show URL|BUNDLE|waiting`. */
  args: string;
  help: string;
  options: Options;
  run(context: Context, values: Readonly<Record<string, unknown>>, args: readonly string[]): Promise<void>;
}

interface Definition<T extends Options> extends Omit<Command, 'options' | 'run'> {
  options?: T;
  /** How many arguments it takes. */
  count: readonly [least: number, most: number];
  run(context: Context, values: Values<T>, args: readonly string[]): Promise<void>;
}

/** A command whose options have types, and which is called with the right number of arguments only. */
export interface Defined extends Command {
  count: readonly [least: number, most: number];
}

export function define<const T extends Options>(definition: Definition<T>): Defined {
  const { options, run, ...rest } = definition;
  return {
    ...rest,
    options: options ?? {},
    // The values were read by these options.
    run: (context, values, args) => run(context, values as Values<T>, args),
  };
}
