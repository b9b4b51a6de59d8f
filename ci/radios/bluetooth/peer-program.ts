import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { waitFor, within } from '../../../testing/wait.ts';
import { ROOT } from '../../lib/places.ts';
import { type InstalledPython, installPython } from '../../lib/python-packages.ts';

const FOLDER = join(ROOT, 'ci/radios/bluetooth');
const ANSWER_MS = 180_000;
/** Events and lines of the error output that are kept. */
const MAX_EVENTS = 10_000;
const MAX_ERRORS = 100;

const Answer = Type.Object({
  id: Type.Integer(),
  result: Type.Optional(Type.Unknown()),
  error: Type.Optional(Type.String()),
});
const Event = Type.Object({
  event: Type.String(),
  peer: Type.String(),
  address: Type.Optional(Type.String()),
  error: Type.Optional(Type.String()),
});

/** Something that has happened to a device of the other end. */
export interface PeerEvent {
  event: string;
  peer: string;
  /** Of the device itself, or of the one that it is connected to. */
  address?: string;
  error?: string;
}

/** Installs Bumble, an independent Bluetooth stack in Python, and the few packages that its host part needs. */
export async function installBumble(): Promise<InstalledPython> {
  return await installPython({
    folder: 'bumble',
    name: 'Bumble',
    size: '50 MB',
    requirements: join(FOLDER, 'requirements.txt'),
  });
}

/** The running program of the other end's devices, `peers.py`. */
export class PeerProgram {
  readonly #process: ChildProcess;
  readonly #events: PeerEvent[] = [];
  readonly #errors: string[] = [];
  readonly #waiting = new Map<number, (answer: { result?: unknown; error?: string }) => void>();
  #lastId = 0;

  /** @param python from {@link installBumble} */
  constructor(python: string) {
    // -B: no compiled files in the project's folder.
    this.#process = spawn(python, ['-B', join(FOLDER, 'peers.py')], { stdio: ['pipe', 'pipe', 'pipe'] });
    const { stdout, stderr } = this.#process;
    if (stdout) createInterface({ input: stdout }).on('line', (line) => this.#read(line));
    if (stderr) {
      createInterface({ input: stderr }).on('line', (line) => {
        if (this.#errors.push(line) > MAX_ERRORS) this.#errors.shift();
      });
    }
    this.#process.on('error', (error) => this.#errors.push(String(error)));
    this.#process.stdin?.on('error', () => undefined);
  }

  /** Sends a command and waits for its result. */
  async run(command: Record<string, unknown>): Promise<unknown> {
    const id = ++this.#lastId;
    const { promise, resolve } = Promise.withResolvers<{ result?: unknown; error?: string }>();
    this.#waiting.set(id, resolve);
    try {
      this.#process.stdin?.write(`${JSON.stringify({ ...command, id })}\n`);
      const { result, error } = await within(promise, ANSWER_MS, `the answer to ${JSON.stringify(command)}`);
      if (error !== undefined) throw new Error(error);
      return result;
    } finally {
      this.#waiting.delete(id);
    }
  }

  /** A mark for {@link event}: the number of events so far. */
  get mark(): number {
    return this.#events.length;
  }

  /** Waits for an event of a device. Throws when the device has failed instead. */
  async event(peer: string, name: string, mark: number, timeoutMs: number): Promise<PeerEvent> {
    const found = await waitFor(
      () => {
        const ofPeer = this.#events.slice(mark).filter((each) => each.peer === peer);
        return ofPeer.find(({ event }) => event === name || event === 'failed');
      },
      { timeoutMs, what: `"${name}" of the device ${peer}` },
    );
    if (found.event === 'failed') throw new Error(`${peer}: ${found.error}\n${this.errors}`);
    return found;
  }

  /** The end of the program's error output. */
  get errors(): string {
    return this.#errors.join('\n');
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const exited = once(this.#process, 'exit');
    this.#process.kill('SIGKILL'); // it keeps nothing
    await exited;
  }

  #read(line: string): void {
    const message: unknown = JSON.parse(line);
    if (Value.Check(Answer, message)) this.#waiting.get(message.id)?.(message);
    else if (Value.Check(Event, message) && this.#events.length < MAX_EVENTS) this.#events.push(message);
  }
}
