import type { BrowserHealth, Capabilities, Health, LogRecord } from './schema.ts';

/** What does not change while the agent runs. */
export interface Identity {
  serial: string;
  model: string;
  version: string;
  slot: 'a' | 'b';
}

/** Measures what the hardware can do. */
export interface Hardware {
  capabilities(): Promise<Capabilities>;
}

/** The board's part of the health snapshot. */
export interface Vitals {
  read(): Promise<
    Pick<
      Health,
      | 'uptime_s'
      | 'throttled'
      | 'undervoltage'
      | 'temperature_c'
      | 'load_1m'
      | 'memory'
      | 'disk'
      | 'time_synced'
    >
  >;
}

/** The display's part of the health snapshot. */
export interface BrowserVitals {
  health(): BrowserHealth | Promise<BrowserHealth>;
}

/** What to read of the log: what comes after a record (its cursor), from a time on (ms since 1970), or the newest. */
export interface LogQuery {
  after?: string;
  from?: number;
  limit: number;
}

/** The system's log. */
export interface Journal {
  /**
   * The first `limit` records of a part of the log; of the whole, the newest ones. Oldest first.
   * @throws ApiError `unavailable` where there is no journal, `bad_request` when it has no record with that cursor
   */
  read(query: LogQuery): Promise<LogRecord[]>;
  /** Gives records as they are written until the returned function is called. */
  follow(onRecord: (record: LogRecord) => void): () => void;
}

/** Ends or restarts the whole system. */
export interface Power {
  /** @throws ApiError `unavailable` when the system cannot do it now */
  check(action: PowerAction): Promise<void>;
  perform(action: PowerAction): Promise<void>;
}
export type PowerAction = 'reboot' | 'shutdown';

/** Sees to it that the next boot makes the data partition new. */
export interface DataReset {
  /** @throws ApiError `unavailable` where this system does not do that, `insufficient_storage` */
  check(): Promise<void>;
  request(): Promise<void>;
  /** Takes the request back. */
  withdraw(): Promise<void>;
}
