/** What the agent needs of the NFC readers. */

/** What a tag or a reader supports: ISO 14443-4 (APDUs), NDEF messages. */
export type Tech = 'iso-dep' | 'ndef';

/** One reader; `reader` is its id, the same after a reboot. */
export interface ReaderState {
  reader: string;
  backend: string;
  /** Whether it is connected and answers. */
  present: boolean;
  techs: readonly Tech[];
  has_led: boolean;
  has_buzzer: boolean;
  /** Why it is not present, as a sentence. */
  problem?: string | undefined;
}

/** A tag in a reader's field. `tag` numbers this stay of the tag, until the connection to the program ends. */
export interface TagSeen {
  reader: string;
  tag: number;
  /** Upper-case hexadecimal. */
  uid: string;
  atqa: string;
  sak: string;
  techs: readonly Tech[];
  /** The NDEF message in base64; absent if there is none or if it could not be read. */
  ndef?: string | undefined;
  /** Reading it failed: whether it has a message is not known. */
  unread?: boolean | undefined;
}

/** Events of the reader program. */
export type ReaderEvent =
  | { event: 'connected' }
  | { event: 'disconnected' }
  /** All readers that there are or were. `problem`: why no reader can be looked for, as a sentence. */
  | { event: 'readers'; readers: readonly ReaderState[]; problem?: string | undefined }
  | ({ event: 'tag' } & TagSeen)
  | { event: 'tag_gone'; reader: string; tag: number };

/** What the program needs to know; a part of the configuration. */
export interface ReaderSettings {
  backend: 'auto' | 'pn532-i2c' | 'pn532-spi' | 'acr122u';
  i2c: { bus: number; address: number };
  spi: { bus: number; cs: number };
  /** Time between two looks for tags, in ms. */
  poll_ms: number;
  feedback_on_detect: boolean;
}

/** What a tag contains after a write that failed. */
export type TagState = 'unchanged' | 'empty' | 'written' | 'unknown';

/** A command that was not done, and why. */
export interface Failure {
  ok: false;
  /**
   * `busy`: too many commands wait, and nothing was done. `timeout`, `disconnected`: whether it was done is not known.
   * `refused`: the program did not accept the command. `not_empty`: the tag has a message, which was to stay.
   */
  code:
    | 'no_reader'
    | 'no_tag'
    | 'unsupported'
    | 'not_empty'
    | 'failed'
    | 'busy'
    | 'refused'
    | 'timeout'
    | 'disconnected';
  /** A sentence. */
  message: string;
  tag_state?: TagState | undefined;
}

export type Outcome<T extends object> = ({ ok: true } & T) | Failure;

/** Light and sound of a reader. */
export interface Feedback {
  led?: 'off' | 'green' | 'red' | 'orange' | undefined;
  buzzer_ms?: number | undefined;
}

/** The reader program, a process of its own. Its commands end within 30 s and do not reject. */
export interface ReaderProgram {
  readonly isConnected: boolean;
  /** Calls `listener` with every event until the returned function is called. */
  listen(listener: (event: ReaderEvent) => void): () => void;
  /** Lets the program connect. @throws Error if its socket cannot be created */
  open(): Promise<void>;
  /** Ends the connection and lets no program connect. */
  close(): Promise<void>;
  /** Starts the service that runs the program. @throws Error */
  startService(): Promise<void>;
  /** @throws Error */
  stopService(): Promise<void>;
  /** Says what to do from now on. Then the program reports all its readers and their tags. */
  configure(settings: ReaderSettings): Promise<Outcome<object>>;
  /**
   * Exchanges one APDU with a tag.
   * @param apdu base64
   * @returns the tag's answer with its status word, in base64
   */
  transceive(reader: string, tag: number, apdu: string): Promise<Outcome<{ response: string }>>;
  /**
   * Replaces the NDEF message of a tag, and reads it back.
   * @param message base64
   * @param isIfEmpty write only if the tag has no message
   */
  writeNdef(
    reader: string,
    tag: number,
    message: string,
    isIfEmpty?: boolean,
  ): Promise<Outcome<{ written_bytes: number }>>;
  feedback(reader: string, feedback: Feedback): Promise<Outcome<object>>;
}
