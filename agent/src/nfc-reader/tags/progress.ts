import { TagError } from '../errors.ts';
import type { TagState } from '../protocol.ts';

/** Longest time for reading, or for writing, the message of a tag, in ms. The agent waits for 30 s. */
const MESSAGE_MS = 25_000;

/** A tag says itself in how small parts its message must be read and written, and takes its time for each. */
class Limited {
  readonly #end: number;

  /** @param ms for tests */
  constructor(ms = MESSAGE_MS) {
    this.#end = performance.now() + ms;
  }

  /** @throws TagError when it has taken too long */
  checkTime(): void {
    if (performance.now() > this.#end) throw new TagError('The tag takes too long.');
  }
}

/** What a tag has of NDEF, as far as it was read. */
export class NdefFound extends Limited {
  /** Whether the tag is formatted for NDEF messages. */
  isFormatted = false;
  /** Undefined when there is none, an empty one, or one that could not be read. */
  message: Buffer | undefined;
}

/** How far a write came, and so what the tag contains if it fails there. */
export class WriteProgress extends Limited {
  state: TagState = 'unchanged';

  /**
   * A step that makes the tag contain something else.
   * @param next what it contains when the step is done; in doubt while it is not
   */
  async step(next: TagState, work: () => Promise<void>): Promise<void> {
    this.state = 'unknown';
    await work();
    this.state = next;
  }
}
