import type { Static, TSchema } from 'typebox';
import type { Watch } from '../base/watch.ts';
import type { Valid, Validator } from '../validation/validator.ts';
import { CommandError } from './errors.ts';
import type { Closed, Data, Input, ReceiveError } from './protocol.ts';

/** What the program reports of an open peripheral. */
export type IoEvent = Valid<typeof Input | typeof Data | typeof ReceiveError | typeof Closed>;

/** What peripherals of one kind can do. */
export interface Driver {
  /**
   * Does a command of protocol.ts.
   * @param message the command with its fields
   * @returns the fields of the answer
   * @throws CommandError
   */
  execute(command: string, message: unknown): Promise<object>;
  /** Closes everything, without events. */
  closeAll(): Promise<void>;
}

export interface DriverOptions {
  emit(event: IoEvent): void;
  watch: Watch;
}

/** @throws CommandError */
export function fitting<S extends TSchema>(of: Validator<S>, message: unknown): Static<S> {
  if (of.fits(message)) return message;
  throw new CommandError('TypeError', 'The command is malformed.');
}

/** @throws CommandError */
export function bytesOf(base64: string): Buffer {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.toString('base64') === base64) return bytes;
  throw new CommandError('TypeError', 'The data is not base64.');
}

/** @throws CommandError */
export function unknownCommand(): never {
  throw new CommandError('NotSupportedError', 'This command is not known.');
}
