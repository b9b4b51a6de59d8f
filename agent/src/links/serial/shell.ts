/** The support shell that `{"type":"shell"}` opens on a serial link. */
import { accessSync, constants, existsSync, fstatSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir, userInfo } from 'node:os';
import { errorCode } from '../../base/system-error.ts';

const require = createRequire(import.meta.url);

/** Output that the link has not taken above which the shell is paused, in bytes. */
const MAX_OUTPUT_BYTES = 256 * 1024;
/** Input that the programs in the terminal have not read; more is dropped, as by any terminal. In bytes. */
const MAX_INPUT_BYTES = 64 * 1024;
/** How often a full terminal is tried again, in ms. */
const RETRY_MS = 10;
/** Time from SIGHUP to SIGKILL, in ms. */
const KILL_AFTER_MS = 1_000;

export interface ShellOptions {
  /** Program (absolute path) and arguments; the login shell by default. */
  command?: readonly [string, ...string[]] | undefined;
  /** Sends the shell's output; resolves when the link has taken it. */
  output(bytes: Buffer): Promise<unknown>;
  /** The shell has exited by itself. */
  onExit(): void;
}

export interface Shell {
  /** Raw input, as typed. */
  write(bytes: Buffer): void;
  /** Ends the shell with SIGHUP, then SIGKILL. Neither `output` nor `onExit` is called afterwards. */
  close(): void;
}

/**
 * Starts a shell on a terminal of its own.
 * @throws Error when the program does not exist or no terminal can be opened
 */
export function openShell({ command = loginShell(), output, onExit }: ShellOptions): Shell {
  const { spawn }: typeof import('@lydell/node-pty') = require('@lydell/node-pty');
  const [file, ...args] = command;
  accessSync(file, constants.X_OK); // the terminal would print the failure and close
  const { username, shell } = userInfo();
  const home = existsSync(homedir()) ? homedir() : '/';
  const pty = spawn(file, args, {
    name: 'xterm-256color',
    cols: 80,
    rows: 24,
    cwd: home,
    encoding: null,
    // Not the agent's environment, which holds sockets of the service manager and credentials.
    env: {
      HOME: home,
      LANG: 'C.UTF-8',
      LOGNAME: username,
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      SHELL: shell ?? file,
      // systemd-run would otherwise set the terminal's title and query its colours.
      SYSTEMD_ADJUST_TERMINAL_TITLE: '0',
      SYSTEMD_TINT_BACKGROUND: '0',
      USER: username,
    },
  });
  if (!('fd' in pty) || typeof pty.fd !== 'number') throw new Error('the terminal has no file descriptor');
  const input = new TerminalInput(pty.fd);
  let exited = false;
  let closed = false;
  let unread = 0;
  pty.onData((data) => {
    // The line may have another host by now.
    if (closed) return;
    // A Buffer, since `encoding` is null; node-pty's types only know text.
    const bytes = Buffer.from(data);
    unread += bytes.length;
    if (unread > MAX_OUTPUT_BYTES) pty.pause();
    void output(bytes).finally(() => {
      unread -= bytes.length;
      if (unread <= MAX_OUTPUT_BYTES && !exited) pty.resume();
    });
  });
  pty.onExit(() => {
    exited = true;
    input.close();
    if (!closed) onExit();
  });
  return {
    write: (bytes) => input.write(bytes),
    close() {
      if (exited) return;
      closed = true;
      input.close();
      // A paused terminal does not report that its shell has exited.
      pty.resume();
      signalGroup(pty.pid, 'SIGHUP');
      setTimeout(() => {
        if (!exited) signalGroup(pty.pid, 'SIGKILL');
      }, KILL_AFTER_MS).unref();
    },
  };
}

/**
 * Writes to a terminal of node-pty by its file descriptor, a public accessor that node-pty's types lack. Its own `write`
 * takes text only and has no bound; worse, libuv writes to this end of a terminal in blocking mode: as soon as a program
 * leaves some kilobytes unread (its input in raw mode), the write, and with it the agent, spins until it reads.
 */
class TerminalInput {
  readonly #fd: number;
  readonly #device: number;
  #queue = Buffer.alloc(0);
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(fd: number) {
    this.#fd = fd;
    this.#device = fstatSync(fd).rdev;
  }

  write(bytes: Buffer): void {
    if (this.#closed || this.#queue.length + bytes.length > MAX_INPUT_BYTES) return;
    this.#queue = Buffer.concat([this.#queue, bytes]);
    if (!this.#timer) this.#flush();
  }

  #flush(): void {
    this.#timer = undefined;
    try {
      while (this.#queue.length > 0) {
        // node-pty closes the descriptor before it reports the exit, and a file or socket may have got its number.
        if (fstatSync(this.#fd).rdev !== this.#device) this.close();
        else this.#queue = this.#queue.subarray(writeSync(this.#fd, this.#queue));
      }
    } catch (error) {
      if (errorCode(error) === 'EAGAIN') this.#timer = setTimeout(() => this.#flush(), RETRY_MS);
      else this.close();
    }
  }

  /** Drops what is queued. Call it before or right after the terminal closes. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#queue = Buffer.alloc(0);
  }
}

/**
 * On the appliance: a shell outside the agent's sandbox, as a transient unit of its own. It ends when its terminal hangs
 * up, and its unit ends all that it started.
 */
export function systemShell(): [string, ...string[]] {
  const properties = ['User=root', 'WorkingDirectory=~', 'SendSIGHUP=yes', 'TimeoutStopSec=2'];
  return [
    '/usr/bin/systemd-run',
    '--quiet',
    '--collect',
    '--pty',
    '--service-type=exec',
    '--description=Support shell of a serial line',
    ...properties.map((property) => `--property=${property}`),
    ...loginShell(),
  ];
}

function loginShell(): [string, ...string[]] {
  return [existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh', '-l'];
}

/** Signals a shell and its children: it leads the process group of its own number. */
function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // It has exited.
  }
}
