/** Joins the records that the device has with those that arrive live: each one once, in their order. */
import type { ResponseOf } from '../../../../client/contract.ts';
import type { Line } from '../../parts/stream/entry.ts';

export type LogRecord = ResponseOf<'GET', '/device/logs'>[number];

/** What takes the lines. */
export interface LineSink {
  add(line: Line): void;
}

/** Records by which it is known where the stored ones continue. */
const MOST_KNOWN = 5000;
/** Live records that wait for the stored ones. */
const MOST_EARLY = 5000;

export class LogFeed {
  readonly #sink: LineSink;
  /** Cursors of the newest records that were added, the oldest first. */
  readonly #known = new Set<string>();
  /** Live records that have arrived while the stored ones are being read; undefined if they are not. */
  #early: LogRecord[] | undefined;

  constructor(sink: LineSink) {
    this.#sink = sink;
  }

  /** The stored records are being read: live ones wait for them. */
  begin(): void {
    this.#early ??= [];
  }

  /** A record has arrived. The first live ones may have been stored before they were sent. */
  live(record: LogRecord): void {
    if (this.#known.has(record.cursor)) return;
    if (!this.#early) {
      this.#add(record);
      return;
    }
    this.#early.push(record);
    if (this.#early.length > MOST_EARLY) this.#early.shift();
  }

  /** @param records the newest ones that the device has, the oldest first */
  stored(records: readonly LogRecord[]): void {
    const last = records.findLastIndex(({ cursor }) => this.#known.has(cursor));
    const isJoined = last >= 0 || this.#known.size === 0 || records.length === 0;
    for (const [index, record] of records.slice(last + 1).entries()) {
      this.#add(record, !isJoined && index === 0);
    }
    this.#flush(false);
  }

  /** The stored records could not be read. Before the first ones, live records go on waiting: the user tries again. */
  failed(): void {
    if (this.#known.size > 0) this.#flush(true);
  }

  #flush(mayMiss: boolean): void {
    const waiting = (this.#early ?? []).filter(({ cursor }) => !this.#known.has(cursor));
    this.#early = undefined;
    for (const [index, record] of waiting.entries()) this.#add(record, mayMiss && index === 0);
  }

  #add({ ts, level, source, message, cursor }: LogRecord, mayMiss = false): void {
    this.#known.add(cursor);
    if (this.#known.size > MOST_KNOWN) {
      const [oldest] = this.#known;
      if (oldest !== undefined) this.#known.delete(oldest);
    }
    const missing = mayMiss ? Number.POSITIVE_INFINITY : 0;
    this.#sink.add({ at: Date.parse(ts), level, source, text: message, missing });
  }
}
