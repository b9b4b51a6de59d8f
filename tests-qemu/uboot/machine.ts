/** QEMU with U-Boot and nothing else: the machine halts at each reset, so that its disk can be looked at and changed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { rm } from 'node:fs/promises';
import { messageOf } from '../../ci/lib/problem.ts';
import { printable } from '../../ci/lib/progress.ts';
import { waitFor, within } from '../../ci/lib/wait.ts';
import { Qmp } from '../../ci/qemu/qmp.ts';

/** Until QEMU answers, which it does at once unless the computer is busy. */
const START_TIMEOUT_MS = 60_000;
/** A busy computer needs a few seconds; U-Boot itself less than one. */
const BOOT_TIMEOUT_MS = 60_000;
const MAX_CONSOLE = 64 * 1024;
const TOLD_CONSOLE = 3000;
/** The last words before a reset: the payload's, or U-Boot's. */
const LAST_WORDS = /^(?:reset|resetting \.\.\.)\r?$/m;

/** The end of a console, as a failure tells it. */
export function tailOfConsole(text: string): string {
  return `its console ends with:\n${printable(text.slice(-TOLD_CONSOLE))}`;
}

export class UBootMachine {
  readonly #child: ChildProcess;
  readonly #qmp: Qmp;
  readonly #output = new EventEmitter<{ text: [] }>();
  #console = '';
  #reset: Promise<unknown> | undefined;

  /**
   * Powers on, halted before the first instruction.
   * @param program QEMU for the architecture
   * @param args its machine, firmware and disk
   * @param socket where its monitor may listen; a path for this machine alone
   */
  static async start(program: string, args: string[], socket: string): Promise<UBootMachine> {
    await rm(socket, { force: true });
    const child = spawn(
      'setpriv',
      [
        ...['--pdeathsig', 'KILL', '--', program, ...args],
        ...['-nodefaults', '-no-user-config', '-display', 'none', '-serial', 'stdio'],
        ...['-qmp', `unix:${socket},server=on,wait=off`, '-S', '-action', 'reboot=shutdown,shutdown=pause'],
      ],
      { stdio: ['pipe', 'pipe', 'pipe'] },
    );
    let refusal = '';
    child.stderr.on('data', (chunk: Buffer) => {
      refusal = (refusal + chunk.toString()).slice(0, 2000);
    });
    const ended = once(child, 'close').then(() => {
      throw new Error(`${program} ended: ${refusal.trim()}`);
    });
    ended.catch(() => undefined);
    try {
      const connect = waitFor(() => Qmp.connect(socket), {
        timeoutMs: START_TIMEOUT_MS,
        what: 'QEMU',
        intervalMs: 20,
      });
      return new UBootMachine(child, await Promise.race([connect, ended]));
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    }
  }

  private constructor(child: ChildProcess, qmp: Qmp) {
    this.#child = child;
    this.#qmp = qmp;
    child.stdout?.on('data', (chunk: Buffer) => {
      this.#console = (this.#console + chunk.toString('latin1')).slice(-MAX_CONSOLE);
      this.#output.emit('text');
    });
  }

  /** What was said since power-on. */
  get console(): string {
    return this.#console;
  }

  /** Powers on and runs until the machine resets itself; everything that it said meanwhile. */
  async boot(): Promise<string> {
    await this.powerOn();
    await this.reset();
    return this.#console;
  }

  /** Powers on. */
  async powerOn(): Promise<void> {
    this.#console = '';
    // A reset that QMP asks for would halt the machine as well.
    await this.#qmp.execute('set-action', { reboot: 'reset' });
    const done = this.#qmp.nextEvent('RESET', BOOT_TIMEOUT_MS);
    await this.#qmp.execute('system_reset');
    await done;
    await this.#qmp.execute('set-action', { reboot: 'shutdown' });
    this.#reset = this.#qmp.nextEvent('SHUTDOWN', BOOT_TIMEOUT_MS);
    this.#reset.catch(() => undefined);
    await this.#qmp.execute('cont');
  }

  /** Waits until the machine resets itself; it is halted then. */
  async reset(): Promise<void> {
    await this.#withConsole(async () => {
      await this.#reset;
      await this.#said(LAST_WORDS);
    });
  }

  /** Waits for words on the console. */
  async says(words: RegExp): Promise<void> {
    await this.#withConsole(() => this.#said(words));
  }

  /** Types a line; what was said before is forgotten. */
  type(line: string): void {
    this.#console = '';
    this.#child.stdin?.write(`${line}\n`);
  }

  async end(): Promise<void> {
    this.#qmp.close();
    const closed = once(this.#child, 'close');
    this.#child.kill('SIGKILL');
    await within(closed, 10_000, 'QEMU to be gone');
  }

  async #said(words: RegExp): Promise<void> {
    const said = Promise.withResolvers<void>();
    const look = (): void => {
      if (words.test(this.#console)) said.resolve();
    };
    this.#output.on('text', look);
    try {
      look();
      await within(said.promise, BOOT_TIMEOUT_MS, `${words} on the console`);
    } finally {
      this.#output.off('text', look);
    }
  }

  /** What fails tells the end of the console. */
  async #withConsole(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      throw new Error(`${messageOf(error)}\n${tailOfConsole(this.#console)}`);
    }
  }
}
