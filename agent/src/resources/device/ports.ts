import type { BrowserHealth, Capabilities, Health, LogRecord } from './schema.ts';

/** Does not change while the agent runs. */
export interface Identity {
  serial: string;
  model: string;
  version: string;
  slot: 'a' | 'b';
}

/** Measures the hardware's capabilities. */
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

/** Which records to read: after a cursor, from a time on, or the newest ones. */
export interface LogQuery {
  after?: string;
  /** In ms since 1970. */
  from?: number;
  limit: number;
}

/** The system's log. */
export interface Journal {
  /**
   * Reads the first `limit` records after `after` or from `from`, or else the newest ones. Oldest first.
   * @throws ApiError `unavailable` without a journal, `bad_request` for an unknown cursor
   */
  read(query: LogQuery): Promise<LogRecord[]>;
  /** Calls `onRecord` with new records until the returned function is called. */
  follow(onRecord: (record: LogRecord) => void): () => void;
}

/** Powers off or reboots the system. */
export interface Power {
  /** @throws ApiError `unavailable` when the system cannot perform it now */
  check(action: PowerAction): Promise<void>;
  perform(action: PowerAction): Promise<void>;
}
export type PowerAction = 'reboot' | 'shutdown';

/** Requests that the next boot creates an empty data partition. */
export interface DataReset {
  /** @throws ApiError `unavailable` on a system that cannot do that, `insufficient_storage` */
  check(): Promise<void>;
  request(): Promise<void>;
  /** Withdraws the request. */
  withdraw(): Promise<void>;
}
