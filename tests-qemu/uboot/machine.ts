/** Runs QEMU with U-Boot. The machine halts at each reset, so that its disk can be read and changed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { rm } from 'node:fs/promises';
import { errorMessage } from '../../agent/src/base/system-error.ts';
import { printable } from '../../ci/lib/progress.ts';
import type { Program } from '../../ci/qemu/program.ts';
import { Qmp } from '../../ci/qemu/qmp.ts';
import { waitFor, within } from '../../testing/wait.ts';

/** Time limit for QEMU to answer, which it does at once unless the computer is busy. */
const START_TIMEOUT_MS = 60_000;
/** A busy computer needs a few seconds; U-Boot itself less than one. */
const BOOT_TIMEOUT_MS = 60_000;
const MAX_CONSOLE = 64 * 1024;
const CONSOLE_TAIL = 3000;
/** The last line before a reset: that of the payload, or of U-Boot. */
const FINAL_OUTPUT = /^(?:reset|resetting \.\.\.)\r?$/m;

/** The end of a console, for error messages. */
export function tailOfConsole(text: string): string {
  return `its console ends with:\n${printable(text.slice(-CONSOLE_TAIL))}`;
}

export class UBootMachine {
  readonly #child: ChildProcess;
  readonly #qmp: Qmp;
  readonly #output = new EventEmitter<{ text: [] }>();
  #console = '';
  #reset: Promise<unknown> | undefined;

  /**
   * Starts QEMU, halted before the first instruction.
   * @param program QEMU for the architecture
   * @param args machine, firmware and disk
   * @param socket path for its monitor's unix socket; only this machine may use it
   */
  static async start(program: Program, args: string[], socket: string): Promise<UBootMachine> {
    await rm(socket, { force: true });
    const child = spawn(
      'setpriv',
      [
        ...['--pdeathsig', 'KILL', '--', program.file, ...program.args, ...args],
        ...['-nodefaults', '-no-user-config', '-display', 'none', '-serial', 'stdio'],
        ...['-qmp', `unix:${socket},server=on,wait=off`, '-S', '-action', 'reboot=shutdown,shutdown=pause'],
      ],
      { env: program.env, stdio: ['pipe', 'pipe', 'pipe'] },
    );
    let refusal = '';
    child.stderr.on('data', (chunk: Buffer) => {
      refusal = (refusal + chunk.toString()).slice(0, 2000);
    });
    const ended = once(child, 'close').then(() => {
      throw new Error(`${program.file} ended: ${refusal.trim()}`);
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

  /** The output since power-on or the last typed line. */
  get console(): string {
    return this.#console;
  }

  /** Powers on, waits until the machine resets itself, and returns the console output. */
  async boot(): Promise<string> {
    await this.powerOn();
    await this.reset();
    return this.#console;
  }

  /** Powers on. */
  async powerOn(): Promise<void> {
    this.#console = '';
    // Otherwise a reset requested by QMP would halt the machine, too.
    await this.#qmp.execute('set-action', { reboot: 'reset' });
    const done = this.#qmp.nextEvent('RESET', BOOT_TIMEOUT_MS);
    await this.#qmp.execute('system_reset');
    await done;
    await this.#qmp.execute('set-action', { reboot: 'shutdown' });
    this.#reset = this.#qmp.nextEvent('SHUTDOWN', BOOT_TIMEOUT_MS);
    this.#reset.catch(() => undefined);
    await this.#qmp.execute('cont');
  }

  /** Waits until the machine resets itself, which halts it. */
  async reset(): Promise<void> {
    await this.#withConsole(async () => {
      await this.#reset;
      await this.#waitForText(FINAL_OUTPUT);
    });
  }

  /** Waits for text on the console. */
  async waitForOutput(words: RegExp): Promise<void> {
    await this.#withConsole(() => this.#waitForText(words));
  }

  /** Types a line and discards the output so far. */
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

  async #waitForText(words: RegExp): Promise<void> {
    const found = Promise.withResolvers<void>();
    const look = (): void => {
      if (words.test(this.#console)) found.resolve();
    };
    this.#output.on('text', look);
    try {
      look();
      await within(found.promise, BOOT_TIMEOUT_MS, `${words} on the console`);
    } finally {
      this.#output.off('text', look);
    }
  }

  /** Adds the end of the console to errors of `work`. */
  async #withConsole(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      throw new Error(`${errorMessage(error)}\n${tailOfConsole(this.#console)}`);
    }
  }
}
