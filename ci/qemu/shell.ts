import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { TimeoutError, within } from '../../testing/wait.ts';
import { connectUnix } from '../lib/unix-socket.ts';

const MAX_OUTPUT = 16 * 1024 * 1024;
const PROBE_INTERVAL_MS = 1000;

/** The exit code of a command in the guest, and its stdout and stderr together. */
export interface ShellResult {
  code: number;
  output: string;
}

/** Quotes a word for POSIX shells. */
export function shellQuote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/**
 * Finds the end mark `tag` in the guest's output. A newline precedes the mark, so that a command's output without a
 * trailing newline is returned unchanged.
 * @returns the output before the mark, the exit code, and what follows; undefined while the mark is incomplete
 */
export function splitAtMark(
  text: string,
  tag: string,
): { output: string; code: number; rest: string } | undefined {
  const at = text.indexOf(`\n${tag}:`);
  if (at < 0) return undefined;
  const end = text.indexOf('\n', at + 1);
  if (end < 0) return undefined;
  const code = Number(text.slice(at + 1 + tag.length + 1, end).replace(/\r$/, ''));
  return { output: text.slice(0, at).replaceAll('\r\n', '\n'), code, rest: text.slice(end + 1) };
}

/**
 * A root shell in the guest behind a virtio port: a plain `sh` there reads its standard input from the port, without
 * echo or prompt. Commands run one after the other. It survives a reboot of the guest: call `restarted`, then
 * `ready` again.
 */
export class GuestShell {
  readonly #socket: Socket;
  readonly #decoder = new TextDecoder();
  #received = '';
  #notify: (() => void) | undefined;
  #broken: Error | undefined;
  #queue: Promise<unknown> = Promise.resolve();

  /** @param timeoutMs for the socket to exist; in a container it does when systemd has started */
  static async connect(path: string, timeoutMs?: number): Promise<GuestShell> {
    return new GuestShell(await connectUnix(path, timeoutMs));
  }

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk) => {
      this.#received = (this.#received + this.#decoder.decode(chunk, { stream: true })).slice(-MAX_OUTPUT);
      this.#notify?.();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => this.#fail(new Error('the guest’s shell is gone: QEMU closed the port')));
  }

  /** Waits until a shell answers. */
  async ready(timeoutMs: number): Promise<void> {
    await this.#inTurn(async () => {
      const end = performance.now() + timeoutMs;
      while (performance.now() < end) {
        // Repeated, because data that was sent before the guest (re)started may be lost.
        const tag = `@@${randomBytes(6).toString('hex')}`;
        this.#send(`printf '\\n%s:%d\\n' ${tag} 0`);
        try {
          await this.#mark(tag, PROBE_INTERVAL_MS);
          return;
        } catch (error) {
          if (!(error instanceof TimeoutError)) throw error;
        }
      }
      throw new TimeoutError(`waited ${timeoutMs / 1000} s for the guest’s root shell`);
    });
  }

  /**
   * Runs a script with `sh -c` as root, without standard input. A script that still runs after `timeoutMs` is killed, and
   * a {@link TimeoutError} is thrown.
   */
  async run(script: string, timeoutMs = 60_000): Promise<ShellResult> {
    return await this.#inTurn(async () => {
      const tag = `@@${randomBytes(6).toString('hex')}`;
      const seconds = Math.ceil(timeoutMs / 1000);
      this.#received = '';
      this.#send(
        `timeout -k 2 ${seconds} sh -c ${shellQuote(script)} </dev/null 2>&1; printf '\\n%s:%d\\n' ${tag} $?`,
      );
      const result = await this.#mark(tag, timeoutMs + 10_000);
      if (result.code === 124 || result.code === 137) {
        throw new TimeoutError(
          `in the guest: still running after ${seconds} s: ${script}\n${result.output.slice(-2000)}`,
        );
      }
      return result;
    });
  }

  /** Like `run`, but throws when the script fails. Returns the output, trimmed. */
  async ok(script: string, timeoutMs?: number): Promise<string> {
    const { code, output } = await this.run(script, timeoutMs);
    if (code !== 0) throw new Error(`in the guest: exit code ${code} of: ${script}\n${output.slice(-4000)}`);
    return output.trim();
  }

  /** To be called when the guest has restarted: a running command then fails at once and not at its time limit. */
  restarted(): void {
    this.#fail(new Error('the guest restarted during the command'));
    this.#broken = undefined;
    this.#received = '';
  }

  close(): void {
    this.#socket.destroy();
  }

  #send(line: string): void {
    this.#socket.write(`${line}\n`);
  }

  #fail(reason: Error): void {
    this.#broken = reason;
    this.#notify?.();
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#queue.then(() => {
      if (this.#socket.destroyed) throw new Error('the guest’s shell is closed');
      return work();
    });
    this.#queue = mine.catch(() => undefined);
    return await mine;
  }

  async #mark(tag: string, timeoutMs: number): Promise<ShellResult> {
    const { promise, resolve, reject } = Promise.withResolvers<ShellResult>();
    const look = (): void => {
      const found = splitAtMark(this.#received, tag);
      if (this.#broken) reject(this.#broken);
      else if (found) {
        this.#received = found.rest;
        resolve({ code: found.code, output: found.output });
      }
    };
    this.#notify = look;
    look();
    try {
      return await within(promise, timeoutMs, 'an answer of the guest’s shell');
    } finally {
      this.#notify = undefined;
    }
  }
}
