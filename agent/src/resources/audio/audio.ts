import { Backoff } from '../../base/backoff.ts';
import type { Logger } from '../../base/logger.ts';
import { Mutex } from '../../base/mutex.ts';
import { ApiError } from '../../contract/errors.ts';
import type { GroupValue } from '../config/group.ts';
import type { audioConfig } from './config.ts';
import { chooseOutput, type NamedOutput, nameOutputs } from './outputs.ts';
import type { SoundServer } from './ports.ts';
import type { Audio as AudioState } from './schema.ts';

/** A change comes as several events; they are handled this long after the first, in ms. */
const SETTLE_MS = 100;
/** Delays between attempts to reach the server, in ms. */
const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 15_000;
/** A server that is not reached for this long is a problem; it needs some seconds to start. In ms. */
const PROBLEM_AFTER_MS = 60_000;
/** Tolerated difference from the configured volume, in percentage points: the server rounds. */
const ROUNDING = 1;

type AudioSettings = GroupValue<typeof audioConfig>;

export interface AudioOptions {
  server: SoundServer;
  settings: () => AudioSettings;
  log: Logger;
}

/** What the server plays on, as of the last successful read. */
interface ServerState {
  outputs: NamedOutput[];
  current: NamedOutput | undefined;
}

/**
 * Keeps the sound server as configured: the output, its volume and mute. The configuration alone decides: a volume that
 * another program sets is set back.
 */
export class Audio {
  readonly #options: AudioOptions;
  readonly #mutex = new Mutex();
  readonly #retry = new Backoff(FIRST_RETRY_MS, LAST_RETRY_MS);
  #known: ServerState | undefined;
  #unknownSince = performance.now();
  /**
   * State and settings after the last command. If the server did not apply a command exactly, the command is not
   * repeated until state or settings change.
   */
  #applied = '';
  #timer: NodeJS.Timeout | undefined;
  /** When the timer fires, on the clock of `performance.now()`. */
  #due = Number.POSITIVE_INFINITY;
  #unwatch: (() => void) | undefined;

  constructor(options: AudioOptions) {
    this.#options = options;
  }

  /** Begins to follow the server. It may not be running yet. */
  start(): void {
    this.#unwatch = this.#options.server.watch(() => this.#touched(SETTLE_MS));
    this.#touched(0);
  }

  stop(): void {
    this.#unwatch?.();
    this.#unwatch = undefined;
    clearTimeout(this.#timer);
  }

  /** @throws ApiError `unavailable` without sound hardware, or while the server does not answer */
  async get(): Promise<AudioState> {
    if (!(await this.#options.server.hasHardware()))
      throw new ApiError('unavailable', 'This device has no sound hardware.');
    if (!this.#known) throw new ApiError('unavailable', 'The sound server does not answer.');
    const { outputs, current } = this.#known;
    const { volume, mute } = this.#options.settings();
    return { output: current?.name ?? null, outputs: outputs.map(({ name }) => name), volume, mute };
  }

  /** Applies changed settings. If the server is not running, they are applied when it is. @throws Error */
  async apply(): Promise<void> {
    await this.#mutex.run(() => this.#synchronize());
  }

  problems(): string[] {
    const { output } = this.#options.settings();
    if (!this.#known) {
      const isLate = performance.now() - this.#unknownSince > PROBLEM_AFTER_MS;
      return isLate ? ['The sound server does not answer, so there is no sound.'] : [];
    }
    const { outputs, current } = this.#known;
    if (output === null || outputs.some(({ name }) => name === output)) return [];
    const instead = current ? `sound is played on ${current.name}` : 'there is no other one';
    return [`The sound output ${output} (audio.output) does not exist now; ${instead}.`];
  }

  /** Synchronizes after this delay, or earlier if that is planned already. */
  #touched(delayMs: number): void {
    const due = performance.now() + delayMs;
    if (due >= this.#due) return;
    this.#due = due;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#due = Number.POSITIVE_INFINITY;
      // A queued run reads the latest state; another is not needed.
      if (this.#mutex.waiting < 2)
        void this.#mutex.run(() => this.#synchronize()).catch((err) => this.#failed(err));
    }, delayMs).unref();
  }

  #failed(err: unknown): void {
    this.#options.log.warn({ err }, 'the sound output could not be set');
    this.#tryAgain();
  }

  #tryAgain(): void {
    if (this.#unwatch) this.#touched(this.#retry.next());
  }

  /** Reads the server's state and corrects it. @throws Error when the server refuses */
  async #synchronize(): Promise<void> {
    const { server, settings } = this.#options;
    const { output, volume, mute } = settings();
    const known = await this.#read();
    if (!known) return;
    const chosen = chooseOutput(known.outputs, output);
    if (!chosen || isAsWanted(known, chosen, volume, mute)) {
      this.#applied = '';
    } else if (this.#summary(known) !== this.#applied) {
      await server.use(chosen.id, volume, mute);
      const after = await this.#read();
      // A server that does not answer may have restarted: then it needs the command again.
      this.#applied = after ? this.#summary(after) : '';
    }
    this.#retry.reset();
  }

  /** Undefined, and tried again later, when the server does not answer. */
  async #read(): Promise<ServerState | undefined> {
    try {
      const { outputs, current } = await this.#options.server.read();
      const named = nameOutputs(outputs);
      this.#known = { outputs: named, current: named.find(({ id }) => id === current) };
    } catch (err) {
      if (this.#known) {
        this.#options.log.warn({ err }, 'the sound server does not answer');
        this.#unknownSince = performance.now();
      }
      this.#known = undefined;
      this.#tryAgain();
    }
    return this.#known;
  }

  #summary({ outputs, current }: ServerState): string {
    return JSON.stringify([outputs, current?.id, this.#options.settings()]);
  }
}

function isAsWanted({ current }: ServerState, chosen: NamedOutput, volume: number, mute: boolean): boolean {
  return (
    current?.id === chosen.id &&
    chosen.mute === mute &&
    chosen.volume !== null &&
    Math.abs(chosen.volume - volume) <= ROUNDING
  );
}
