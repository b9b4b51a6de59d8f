import { withTimeout } from '../../base/timeout.ts';
import type { VirtualInput } from '../../resources/input/ports.ts';
import { type RunningProgram, startProgram } from '../processes.ts';
import { KioskSession, type KioskSessionOptions } from './kiosk-session.ts';

const PROGRAM = '/usr/lib/vitrine/virtual-input';
/** Time for an answer of the program, which waits for the compositor, in ms. */
const TIMEOUT_MS = 10_000;

export interface WaylandInputOptions extends KioskSessionOptions {
  /** The program that has the devices (native/virtual-input.c). */
  command?: string;
  timeoutMs?: number;
}

/** An answer that is expected of the program. */
interface Expected {
  line: string;
  resolve: () => void;
  reject: (error: Error) => void;
}

/** A pointer and a keyboard of the user `kiosk`'s compositor, which exist as long as a program runs. */
export class WaylandInput implements VirtualInput {
  readonly #session: KioskSession;
  readonly #command: string;
  readonly #timeoutMs: number;
  #program: RunningProgram | undefined;
  #expected: Expected | undefined;

  constructor({ command = PROGRAM, timeoutMs = TIMEOUT_MS, ...session }: WaylandInputOptions = {}) {
    this.#session = new KioskSession(session);
    this.#command = command;
    this.#timeoutMs = timeoutMs;
  }

  get isRunning(): boolean {
    return this.#program !== undefined;
  }

  async start(): Promise<void> {
    this.stop();
    const access = await this.#session.find();
    const program = startProgram(this.#command, {
      ...access,
      onLine: (line) => {
        if (program === this.#program && line === this.#expected?.line) this.#expected.resolve();
      },
      onEnd: (why) => {
        if (program !== this.#program) return;
        this.#program = undefined;
        this.#expected?.reject(new Error(why));
      },
    });
    this.#program = program;
    await this.#answer('ready');
  }

  async send(lines: readonly string[]): Promise<void> {
    if (!this.#program) throw new Error('there is no virtual pointer and keyboard');
    this.#program.write([...lines, 'sync']);
    await this.#answer('done');
  }

  stop(): void {
    this.#program?.end();
    this.#program = undefined;
    this.#expected?.reject(new Error('the virtual pointer and keyboard were removed'));
  }

  /** @throws Error also when the program ends, or takes too long; it is stopped then */
  async #answer(line: string): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#expected = { line, resolve, reject };
    try {
      await withTimeout(promise, this.#timeoutMs);
    } catch (error) {
      this.stop();
      throw error;
    } finally {
      this.#expected = undefined;
    }
  }
}
