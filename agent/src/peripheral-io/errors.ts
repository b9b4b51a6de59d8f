import { errorMessage } from '../base/system-error.ts';
import type { Valid } from '../validation/validator.ts';
import type { Answer } from './protocol.ts';

export type ErrorName = NonNullable<Valid<typeof Answer>['name']>;

/** A command cannot be done. */
export class CommandError extends Error {
  override readonly name: ErrorName;

  /** @param name of the DOMException that the page gets @param message a sentence */
  constructor(name: ErrorName, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = name;
  }
}

/**
 * Does a part of a command, whose errors become one with this name and sentence.
 * @throws CommandError also what `work` throws, if that is one
 */
export async function orElse<T>(name: ErrorName, message: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(name, `${message} (${errorMessage(error)})`, { cause: error });
  }
}
