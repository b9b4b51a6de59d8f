/** `NDEFRecord` and `NDEFMessage` (https://w3c.github.io/web-nfc/#data-representation). */
import { ByteArray, domException, freeze, mapped, typeError, View } from './builtins.ts';
import { decodePayload, decodeRecord, type RecordFields } from './ndef-decode.ts';
import { encodeMessage, encodeRecord, type MessageInit, type RecordInit } from './ndef-encode.ts';
import { messageInit, recordInit } from './nfc-idl.ts';

/** Records that were read, for the constructors. Pages have no such object, and cannot make one. */
export class ReadRecords {
  readonly records: readonly RecordFields[];

  constructor(records: readonly RecordFields[]) {
    this.records = records;
  }
}

/** The language of texts that have none of their own. */
export function documentLanguage(): string {
  return document.documentElement?.getAttribute('lang') || 'en';
}

export class NDEFRecord {
  readonly #fields: RecordFields;

  /** @throws TypeError, or a DOMException `SyntaxError`, for a record that cannot be written */
  constructor(init: unknown) {
    const [read] = init instanceof ReadRecords ? init.records : [];
    this.#fields = read ?? fieldsOf(recordInit(init));
  }

  get recordType(): string {
    return this.#fields.recordType;
  }

  get mediaType(): string | null {
    return this.#fields.mediaType;
  }

  get id(): string | null {
    return this.#fields.id;
  }

  /** A new view each time, as in Chromium. */
  get data(): DataView<ArrayBuffer> | null {
    const { data } = this.#fields;
    return data && new View(new ByteArray(data).buffer);
  }

  get encoding(): string | null {
    return this.#fields.encoding;
  }

  get lang(): string | null {
    return this.#fields.lang;
  }

  /**
   * The records of the message in this record; null if there is none. Local types are supported, too, as in Chromium.
   * @throws DOMException `NotSupportedError` for a record of another type, TypeError for records that are not allowed
   */
  toRecords(): NDEFRecord[] | null {
    const { recordType, data } = this.#fields;
    const isPoster = recordType === 'smart-poster';
    if (!isPoster && !recordType.includes(':')) {
      throw domException('NotSupportedError', `A record "${recordType}" contains no message.`);
    }
    const context = isPoster ? recordType : recordType.startsWith(':') ? 'local' : 'external';
    const records = data && decodePayload(data, context);
    return records && mapped(records, asRecord);
  }
}

export class NDEFMessage {
  readonly #records: readonly NDEFRecord[];

  /** @throws TypeError, or a DOMException `SyntaxError`, for a message that cannot be written */
  constructor(init: unknown) {
    this.#records = mapped(init instanceof ReadRecords ? init.records : checked(messageInit(init)), asRecord);
    freeze(this.#records);
  }

  get records(): readonly NDEFRecord[] {
    return this.#records;
  }
}

const asRecord = (fields: RecordFields): NDEFRecord => new NDEFRecord(new ReadRecords([fields]));

/** @throws TypeError, DOMException */
function checked(message: MessageInit): RecordFields[] {
  encodeMessage(message, documentLanguage());
  return mapped(message.records, fieldsOf);
}

/** What a record has that is written and read again, in the words of the page. @throws TypeError, DOMException */
function fieldsOf(init: RecordInit): RecordFields {
  const { recordType } = init;
  const raw = encodeRecord(init, { context: '', depth: 0, language: documentLanguage() });
  const fields = decodeRecord(raw, '');
  if (!fields) throw typeError(`"${recordType}" is not a record type.`);
  return { ...fields, recordType, encoding: recordType === 'text' ? (init.encoding ?? 'utf-8') : null };
}
