/** What can go wrong between the program and a tag. */
import type { Code, TagState } from './protocol.ts';

/** The reader or its bus did not do it: no answer, a bad frame, an error of the system. */
export class ReaderError extends Error {
  override name = 'ReaderError';
}

/** The reader is not connected any more. */
export class ReaderGone extends ReaderError {
  override name = 'ReaderGone';
}

/** The tag did not answer, or refused; it may have left. */
export class TagError extends Error {
  override name = 'TagError';
}

/** A command of the agent cannot be done. */
export class CommandError extends Error {
  override name = 'CommandError';
  readonly code: Code;
  /** What a tag contains after a write that failed. */
  readonly tagState: TagState | undefined;

  /** @param message a sentence for the operator */
  constructor(code: Code, message: string, tagState?: TagState) {
    super(message);
    this.code = code;
    this.tagState = tagState;
  }
}

/** The tag or the reader lacks what a command needs. */
export const unsupported = (message: string): CommandError => new CommandError('unsupported', message);
