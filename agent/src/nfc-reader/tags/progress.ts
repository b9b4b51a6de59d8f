import type { TagState } from '../protocol.ts';

/** What a tag has of NDEF, as far as it was read. */
export class NdefFound {
  /** Whether the tag is formatted for NDEF messages. */
  isFormatted = false;
  /** Undefined when there is none, an empty one, or one that could not be read. */
  message: Buffer | undefined;
}

/** How far a write came, and so what the tag contains if it fails there. */
export class WriteProgress {
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
