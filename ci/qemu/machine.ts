import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorMessage } from '../../agent/src/base/system-error.ts';
import { within } from '../../testing/wait.ts';
import { Problem } from '../lib/problem.ts';
import { type DeviceEnd, tailOf, type VirtualDevice } from '../lib/virtual-device.ts';

import { type MachineSettings, qemuArguments } from './arguments.ts';
import { Qmp } from './qmp.ts';

/** Longest time for U-Boot's first stage, which takes a second, or some on a busy computer. */
const FIRST_STAGE_MS = 60_000;
const LOOK_MS = 2000;
/** After a reset, until the console is looked at again: until then its last line is the old one. */
const RESTART_MS = 20_000;
/** The last line of the console when U-Boot's first stage has begun, and when it has crashed. */
const FIRST_STAGE = 'U-Boot SPL ';
const CRASHED = '### ERROR ### Please RESET the board ###';

/** QEMU answers at once, except on a busy computer. If it cannot start, it ends. */
const QMP_TIMEOUT_MS = 60_000;

/** Explains in a sentence why QEMU did not start. */
export function explainQemu(stderr: string): string {
  const said = stderr.trim().split('\n').slice(-3).join(' ');
  if (/Could not set up host forwarding rule/.test(stderr)) {
    return 'another program has just taken the port of the API; try again or choose a port with --port.';
  }
  if (/No space left on device/.test(stderr)) return 'the disk is full: the machine needs disk space.';
  if (/[Cc]annot (?:set up|allocate) guest memory|Cannot allocate memory/.test(stderr)) {
    return 'this computer has not enough free memory for the machine (1 GiB).';
  }
  if (/Failed to get "write" lock|Failed to get shared "write" lock/.test(stderr)) {
    return 'the machine’s disk is in use by another QEMU; stop that one first (npm stop).';
  }
  if (/gtk initialization failed|cannot open display|could not connect to display/i.test(stderr)) {
    return 'QEMU could not open a window; start with --headless (a VNC address is printed instead).';
  }
  return `QEMU did not start: ${said || 'no error message'}`;
}

/**
 * One QEMU process. It is ended when this process ends, even by SIGKILL. This object uses its first monitor socket.
 */
export class Machine implements VirtualDevice {
  readonly settings: MachineSettings;
  readonly qmp: Qmp;
  readonly ended: Promise<DeviceEnd>;
  readonly startedAt: number;
  readonly #child: ChildProcess;
  #end: DeviceEnd | undefined;

  /**
   * Starts QEMU and connects to its first monitor.
   * @param log file for QEMU's stderr
   * @throws Problem when QEMU refuses to start
   */
  static async start(settings: MachineSettings, log: string): Promise<Machine> {
    const [monitor] = settings.monitors;
    if (!monitor) throw new Error('a machine needs a monitor socket');
    const stderr = await open(log, 'w');
    const startedAt = performance.now();
    // The kernel sends SIGTERM to QEMU when this process dies, even by SIGKILL.
    const guard = spawnSync('setpriv', ['--version']).error ? [] : ['setpriv', '--pdeathsig', 'TERM', '--'];
    const { file, args: first, env } = settings.qemu.system;
    const [program = file, ...args] = [...guard, file, ...first, ...qemuArguments(settings)];
    // Its own process group, so that Ctrl-C does not reach QEMU: the owner powers the machine down.
    const child = spawn(program, args, { env, stdio: ['ignore', 'ignore', stderr.fd], detached: true });
    const ended = once(child, 'close')
      .catch(() => undefined) // the program could not be started; the log stays empty
      .then((): DeviceEnd => ({ code: child.exitCode, signal: child.signalCode }));
    await stderr.close();
    try {
      const died = ended.then(async () => {
        throw new Problem(explainQemu(await readFile(log, 'utf8')));
      });
      const qmp = await Promise.race([Qmp.connect(monitor, QMP_TIMEOUT_MS), died]);
      died.catch(() => undefined);
      return new Machine(settings, child, qmp, ended, startedAt);
    } catch (error) {
      child.kill('SIGKILL');
      throw error instanceof Problem ? error : new Problem(`QEMU does not answer: ${errorMessage(error)}`);
    }
  }

  private constructor(
    settings: MachineSettings,
    child: ChildProcess,
    qmp: Qmp,
    ended: Promise<DeviceEnd>,
    startedAt: number,
  ) {
    this.settings = settings;
    this.qmp = qmp;
    this.startedAt = startedAt;
    this.#child = child;
    this.ended = ended;
    ended.then((end) => {
      this.#end = end;
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get running(): boolean {
    return this.#end === undefined;
  }

  get seconds(): number {
    return (performance.now() - this.startedAt) / 1000;
  }

  async vncAddress(): Promise<string | undefined> {
    const info = await this.qmp.execute('query-vnc');
    if (typeof info !== 'object' || info === null || !('service' in info) || !('host' in info))
      return undefined;
    return `${String(info.host)}:${String(info.service)}`;
  }

  async powerDown(timeoutMs: number): Promise<boolean> {
    if (!this.running) return true;
    try {
      await this.qmp.execute('system_powerdown');
      await within(this.ended, timeoutMs, 'the device to power itself off');
      return true;
    } catch {
      await this.quit();
      return false;
    }
  }

  async quit(): Promise<void> {
    if (this.running) await this.qmp.execute('quit', undefined, 5000).catch(() => undefined);
    await within(this.ended, 5000, 'QEMU to quit').catch(() => this.kill());
    this.qmp.close();
  }

  onRestart(listener: () => void): () => void {
    return this.qmp.onEvent(({ event }) => event === 'RESET' && listener());
  }

  /**
   * Resets the machine if U-Boot's first stage hangs or has crashed. In emulation it once used a whole processor for seven
   * minutes after its first line, and some power-ons end with an undefined opcode.
   */
  async watchBoot(signal: AbortSignal): Promise<void> {
    for (let since = performance.now(); ; ) {
      await sleep(LOOK_MS, undefined, { signal });
      const line = await tailOf(this.settings.console, 1);
      const hangs = line.startsWith(FIRST_STAGE) && performance.now() - since > FIRST_STAGE_MS;
      if (!hangs && line !== CRASHED) continue;
      console.error(
        `vitrine: U-Boot's first stage ${hangs ? 'hangs' : 'has crashed'}: resetting the machine`,
      );
      await this.qmp.execute('system_reset');
      await sleep(RESTART_MS, undefined, { signal });
      since = performance.now();
    }
  }

  /** `kill -9`. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.ended;
    this.qmp.close();
  }
}
