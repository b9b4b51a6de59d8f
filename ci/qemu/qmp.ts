import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { LineSplitter } from '../../agent/src/base/line-splitter.ts';
import { errorMessage } from '../../agent/src/base/system-error.ts';
import { within } from '../../testing/wait.ts';
import { connectUnix } from '../lib/unix-socket.ts';

const MAX_LINE_BYTES = 4 * 1024 * 1024;
const MAX_PENDING = 64;
const COMMAND_TIMEOUT_MS = 15_000;

const Greeting = Type.Object({ QMP: Type.Object({}) });
const Reply = Type.Object({ id: Type.String(), return: Type.Unknown() });
const Failure = Type.Object({
  id: Type.String(),
  error: Type.Object({ class: Type.String(), desc: Type.String() }),
});
const Event = Type.Object({ event: Type.String(), data: Type.Optional(Type.Unknown()) });

/** An event of the machine, such as `SHUTDOWN` or `RESET`; `data` as the QMP reference has it. */
export interface QmpEvent {
  event: string;
  data: unknown;
}

/** A command that QEMU refused; the message is QEMU's own. */
export class QmpError extends Error {
  readonly errorClass: string;
  constructor(command: string, errorClass: string, desc: string) {
    super(`QMP ${command}: ${desc}`);
    this.errorClass = errorClass;
  }
}

interface Pending {
  command: string;
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
}

/**
 * One connection to QEMU's machine protocol (QMP). Commands may be sent while others are pending; each has its own id
 * and time limit. Events arrive by `onEvent`. A line that is not QMP ends the connection.
 */
export class Qmp {
  readonly #socket: Socket;
  readonly #lines = new LineSplitter(MAX_LINE_BYTES);
  readonly #pending = new Map<string, Pending>();
  readonly #events = new EventEmitter<{ event: [QmpEvent]; close: [Error] }>();
  readonly #greeting = Promise.withResolvers<void>();
  #lastId = 0;
  #closed: Error | undefined;

  /** Connects and negotiates. QEMU serves one client at a time on a socket: a second one waits until its time limit. */
  static async connect(path: string, timeoutMs = 10_000): Promise<Qmp> {
    const qmp = new Qmp(await connectUnix(path, timeoutMs));
    try {
      await within(
        qmp.#greeting.promise,
        timeoutMs,
        `QEMU's greeting on ${path} (is another client connected?)`,
      );
      await qmp.execute('qmp_capabilities');
      return qmp;
    } catch (error) {
      qmp.close();
      throw error;
    }
  }

  constructor(socket: Socket) {
    this.#socket = socket;
    this.#events.setMaxListeners(100);
    this.#greeting.promise.catch(() => undefined);
    socket.on('data', (chunk) => this.#take(chunk));
    socket.on('error', (error) => this.#end(error));
    socket.on('close', () => this.#end(new Error('QEMU closed the QMP connection')));
  }

  /**
   * Runs a command and gives its `return`.
   * @throws QmpError when QEMU refuses it; Error on timeout or when the connection ends
   */
  async execute(command: string, args?: object, timeoutMs = COMMAND_TIMEOUT_MS): Promise<unknown> {
    if (this.#closed) throw this.#closed;
    if (this.#pending.size >= MAX_PENDING) throw new Error(`more than ${MAX_PENDING} pending QMP commands`);
    const id = String(++this.#lastId);
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#pending.set(id, { command, resolve, reject });
    this.#socket.write(`${JSON.stringify({ execute: command, arguments: args, id })}\n`);
    try {
      return await within(promise, timeoutMs, `QMP ${command}`);
    } finally {
      this.#pending.delete(id);
    }
  }

  /** Calls `listener` on every event. The returned function unsubscribes. */
  onEvent(listener: (event: QmpEvent) => void): () => void {
    this.#events.on('event', listener);
    return () => this.#events.off('event', listener);
  }

  /** Resolves with the next event of that name. */
  async nextEvent(name: string, timeoutMs: number): Promise<QmpEvent> {
    const { promise, resolve, reject } = Promise.withResolvers<QmpEvent>();
    const stop = this.onEvent((event) => event.event === name && resolve(event));
    this.#events.on('close', reject);
    try {
      return await within(promise, timeoutMs, `the QMP event ${name}`);
    } finally {
      stop();
      this.#events.off('close', reject);
    }
  }

  close(): void {
    this.#socket.destroy();
    this.#end(new Error('the QMP connection was closed'));
  }

  #take(chunk: Buffer): void {
    try {
      this.#lines.forEach(chunk, (line) => {
        if (line.length > 1) this.#message(JSON.parse(line.toString()));
      });
      if (this.#lines.overlong > 0) throw new Error(`a line over ${MAX_LINE_BYTES} bytes`);
    } catch (error) {
      this.#socket.destroy();
      this.#end(new Error(`QEMU sent something that is not QMP: ${errorMessage(error)}`));
    }
  }

  #message(message: unknown): void {
    if (Value.Check(Event, message)) {
      this.#events.emit('event', { event: message.event, data: message.data });
    } else if (Value.Check(Reply, message)) {
      this.#pending.get(message.id)?.resolve(message.return);
    } else if (Value.Check(Failure, message)) {
      const pending = this.#pending.get(message.id);
      pending?.reject(new QmpError(pending.command, message.error.class, message.error.desc));
    } else if (Value.Check(Greeting, message)) {
      this.#greeting.resolve();
    } else {
      throw new Error(JSON.stringify(message).slice(0, 200));
    }
  }

  #end(reason: Error): void {
    if (this.#closed) return;
    this.#closed = reason;
    this.#greeting.reject(reason);
    for (const { reject } of this.#pending.values()) reject(reason);
    this.#pending.clear();
    this.#events.emit('close', reason);
  }
}
