import type { Clock } from './clock.ts';
import type { Capabilities, Device, Health, LogRecord } from './schema.ts';

/** Does not change while the agent runs. */
export type Identity = Pick<Device, 'serial' | 'model' | 'version' | 'slot'>;

/** Measures the hardware's capabilities. */
export interface Hardware {
  capabilities(): Promise<Capabilities>;
}

/** The board's part of the health snapshot. */
export interface Vitals {
  read(): Promise<Omit<Health, 'ts' | 'browser' | 'agent' | 'problems'>>;
}

/** Which records to read: after a cursor, from a time on, or the newest ones. */
export interface LogQuery {
  after?: string;
  /** In ms since 1970. */
  from?: number;
  limit: number;
  /** The lowest one; undefined: all. */
  level?: LogRecord['level'];
  /** Undefined: those of every program. */
  source?: string;
}

/** The system's log. */
export interface Journal {
  /**
   * Reads the first `limit` wanted records after `after` or from `from`, or else the newest ones. Oldest first.
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

export interface DevicePorts {
  identity: Identity;
  hardware: Hardware;
  journal: Journal;
  power: Power;
  dataReset: DataReset;
  vitals: Vitals;
  /** Undefined where the clock is not the device's own to set. */
  clock: Clock | undefined;
  dataPartition: {
    /** Finds out what `problems` reports. Never rejects. */
    refresh(): Promise<void>;
    problems(): string[];
  };
  systemBus: { problems(): string[] };
  /** Failures of the agent itself. */
  agentFailures: { problems(): string[] };
}
