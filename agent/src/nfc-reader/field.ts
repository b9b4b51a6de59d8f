/** What the program needs of a connected reader, whatever its kind. */

/**
 * How to talk to a tag: NFC Forum type 2 (READ and WRITE of pages), type 4 (ISO-DEP, with APDUs), or neither, as MIFARE
 * Classic.
 */
export type Kind = 'type2' | 'type4' | 'other';

/** SAK bit 6: the tag speaks ISO/IEC 14443-4 (NXP AN10833). */
const SAK_ISO_DEP = 0x20;

/** Which kind a tag is, by its SAK (NFC Forum Digital: SEL_RES). */
export function kindOf(sak: number): Kind {
  if ((sak & SAK_ISO_DEP) !== 0) return 'type4';
  return sak === 0 ? 'type2' : 'other';
}

/**
 * One stay of one tag in the field: the same object while it stays. Every method rejects with TagError when the tag does
 * not answer or refuses, and with ReaderError when the reader does not do it.
 */
export interface FieldTag {
  /** 4, 7 or 10 bytes. */
  readonly uid: Buffer;
  /** 2 bytes, the most significant one first, as in `0044`. */
  readonly atqa: Buffer;
  readonly sak: number;
  readonly kind: Kind;
  /** Type 2: 16 bytes, from page `page` on. */
  readBlock(page: number): Promise<Buffer>;
  /** Type 2: writes the 4 bytes of a page. */
  writePage(page: number, data: Buffer): Promise<void>;
  /** Type 2: the 8 bytes of GET_VERSION; undefined when the tag does not know the command. */
  version(): Promise<Buffer | undefined>;
  /**
   * Type 4: sends an APDU. The answer has the status word at its end.
   * @param isFileAccess it takes a tag little time, and does no harm when it is sent twice
   * @throws CommandError `unsupported` when the reader cannot send it
   */
  apdu(command: Buffer, isFileAccess?: boolean): Promise<Buffer>;
  /** Type 4: the host sends it an APDU. For some seconds it keeps its session, for example the selected application. */
  use(): void;
  /** Whether the tag is still in the field; asks it. */
  isPresent(): Promise<boolean>;
}

export type Light = 'off' | 'green' | 'red' | 'orange';

/** What a reader needs to know of the settings. */
export interface FieldSettings {
  /** Time between two looks for tags, in ms. */
  readonly pollMs: number;
  readonly feedbackOnDetect: boolean;
}

/** A connected reader. The caller does one operation at a time. */
export interface Field {
  /**
   * Looks for tags.
   * @throws ReaderGone when the reader is not connected any more, ReaderError for everything else
   */
  poll(): Promise<readonly FieldTag[]>;
  /** Takes new settings. */
  configure?(settings: FieldSettings): Promise<void>;
  /** @param buzzerMs how long to sound, in ms */
  feedback?(light: Light | undefined, buzzerMs: number | undefined): Promise<void>;
  /** What is going on is to fail soon: the reader is closed next. */
  interrupt?(): void;
  close(): Promise<void>;
}
