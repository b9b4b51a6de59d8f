import { Budget } from './budget.ts';
import type { Logger } from './logger.ts';

/** Records of one cause: at once, and on average. */
const AT_ONCE = 50;
const PER_SECOND = 0.2;

/** Writes a record. */
export type Write = (fields: object, message: string) => void;

/** The part of a logger that a {@link limitedLog} has. */
export type Records = Readonly<Record<'debug' | 'info' | 'warn' | 'error', Write>>;

/**
 * Limits the records that pages or the browser can cause as often as they like: they must not replace all others in the
 * journal. 50 at once and 720 an hour; the next one has `left_out`, the number of omitted ones.
 */
export class RecordLimit {
  readonly #budget = new Budget(PER_SECOND, AT_ONCE);
  #leftOut = 0;

  /** What writes the records that are allowed. */
  of(write: Write): Write {
    return (fields, message) => {
      if (!this.#budget.take()) {
        this.#leftOut += 1;
        return;
      }
      write(this.#leftOut > 0 ? { ...fields, left_out: this.#leftOut } : fields, message);
      this.#leftOut = 0;
    };
  }
}

/** A log with one {@link RecordLimit} for all levels but `debug`, which devices do not write. */
export function limitedLog(log: Pick<Logger, keyof Records>): Records {
  const limit = new RecordLimit();
  return {
    debug: (fields, message) => log.debug(fields, message),
    info: limit.of((fields, message) => log.info(fields, message)),
    warn: limit.of((fields, message) => log.warn(fields, message)),
    error: limit.of((fields, message) => log.error(fields, message)),
  };
}
