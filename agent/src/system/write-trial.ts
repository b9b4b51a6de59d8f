import { constants, open } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../base/system-error.ts';
import { withTimeout } from '../base/timeout.ts';

/** How often a byte is written at most while that succeeds, in ms: each costs a write to the flash memory. */
const INTERVAL_MS = 60_000;
/** How often it is tried again after a failure, in ms. */
const RETRY_MS = 5000;
/** A disk that takes longer hangs. */
const TIMEOUT_MS = 2000;
const FILE = '.write-trial';

export interface WriteTrialOptions {
  /** Writes a byte to a file of the partition, replaced in tests. */
  write?: (path: string) => Promise<void>;
  /** Milliseconds of a clock that never jumps, replaced in tests. */
  clock?: () => number;
}

/**
 * Finds out whether the data partition can be written, by writing to it. With newer kernels nothing else shows a file
 * system that an error has made read-only: access(2) succeeds.
 */
export class WriteTrial {
  readonly #path: string;
  readonly #write: (path: string) => Promise<void>;
  readonly #clock: () => number;
  #problem: string | undefined;
  #next = Number.NEGATIVE_INFINITY;
  /** A write that has not ended, maybe beyond its time limit; no other one is started meanwhile. */
  #running: Promise<void> | undefined;

  constructor(
    folder: string,
    { write = writeByte, clock = () => performance.now() }: WriteTrialOptions = {},
  ) {
    this.#path = join(folder, FILE);
    this.#write = write;
    this.#clock = clock;
  }

  /** Writes if the last trial is old enough. Resolves within 2 s, never rejects. */
  async refresh(): Promise<void> {
    if (this.#clock() < this.#next) return;
    const trial = this.#running ?? this.#start();
    await withTimeout(trial, TIMEOUT_MS).catch(() => {
      this.#problem = 'The data partition takes no data: its medium does not answer.';
    });
  }

  /** As sentences for `health`: what the last trial found. */
  problems(): string[] {
    return this.#problem === undefined ? [] : [this.#problem];
  }

  #start(): Promise<void> {
    this.#running = this.#write(this.#path)
      .then(
        () => undefined,
        (error: unknown) => problemOf(error),
      )
      .then((problem) => {
        this.#running = undefined;
        this.#problem = problem;
        this.#next = this.#clock() + (problem === undefined ? INTERVAL_MS : RETRY_MS);
      });
    return this.#running;
  }
}

/** A full disk is reported by its fullness. A missing folder, or one of another user, is none of the medium. */
function problemOf(error: unknown): string | undefined {
  const code = errorCode(error);
  if (code === 'EROFS') return 'The data partition is read-only: nothing can be stored.';
  // EUCLEAN: the file system is damaged. ESHUTDOWN: it was shut down after an error.
  const failures = ['EIO', 'EUCLEAN', 'ENXIO', 'ENODEV', 'ESHUTDOWN'];
  if (code === undefined || !failures.includes(code)) return undefined;
  return `The data partition cannot be written (${code}): nothing can be stored.`;
}

/** Always the same byte, so that the file never grows. Not flushed: the file system itself refuses what it cannot take. */
async function writeByte(path: string): Promise<void> {
  const file = await open(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
  try {
    await file.write('.', 0);
  } finally {
    await file.close();
  }
}
