/** The support shell that `{"type":"shell"}` opens on a serial link (interface: Serial transport). */
import { accessSync, constants, existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir, userInfo } from 'node:os';
import { terminalInput } from './terminal-input.ts';

const require = createRequire(import.meta.url);

/** Output that the link has not taken above which the shell is paused, in bytes. */
const MAX_OUTPUT_BYTES = 256 * 1024;
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
  const input = terminalInput(pty);
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
    write: input.write,
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
