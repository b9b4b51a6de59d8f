/** The support shell that `{"type":"shell"}` opens on a serial link (interface: Serial transport). */
import { accessSync, constants, existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import { homedir, userInfo } from 'node:os';

const require = createRequire(import.meta.url);

/** Output on its way to a host that reads slowly, in bytes, at which the shell has to wait. */
const MAX_OUTPUT_BYTES = 256 * 1024;
/** Input that no program in the shell reads, in bytes; more is lost, as on any terminal. */
const MAX_INPUT_BYTES = 64 * 1024;
/** From the hang-up to the kill, in ms. */
const KILL_AFTER_MS = 1_000;

export interface ShellOptions {
  /** Program (its whole path) and arguments; the login shell by default. */
  command?: readonly [string, ...string[]] | undefined;
  /** Sends the shell's output; resolves when the link has taken it. */
  output(bytes: Buffer): Promise<unknown>;
  /** The shell has ended by itself. */
  onExit(): void;
}

export interface Shell {
  /** Raw input, as typed. */
  write(bytes: Buffer): void;
  /** Hangs up, and kills what stays. Neither `output` nor `onExit` is called any more. */
  close(): void;
}

/**
 * Starts a shell on a terminal of its own.
 * @throws Error when this system has no such program, or no terminal for it
 */
export function openShell({ command = loginShell(), output, onExit }: ShellOptions): Shell {
  const { spawn }: typeof import('@lydell/node-pty') = require('@lydell/node-pty');
  const [file, ...args] = command;
  accessSync(file, constants.X_OK); // the terminal would open, say it and close
  const { username, shell } = userInfo();
  const home = existsSync(homedir()) ? homedir() : '/';
  const pty = spawn(file, args, {
    name: 'xterm-256color',
    cols: 80,
    rows: 24,
    cwd: home,
    encoding: null,
    // The agent's own environment (sockets of the service manager, credentials) is none of the shell's business.
    env: {
      HOME: home,
      LANG: 'C.UTF-8',
      LOGNAME: username,
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      SHELL: shell ?? file,
      // systemd-run would talk to the terminal: set its title, ask for its colours.
      SYSTEMD_ADJUST_TERMINAL_TITLE: '0',
      SYSTEMD_TINT_BACKGROUND: '0',
      USER: username,
    },
  });
  const input = inputOf(pty);
  let ended = false;
  let closed = false;
  let unread = 0;
  pty.onData((data) => {
    // The line may have another host by now, for whom a shell's last words are no frame.
    if (closed) return;
    // Raw bytes where the types say text, since no encoding is asked for.
    const bytes = Buffer.from(data);
    unread += bytes.length;
    if (unread > MAX_OUTPUT_BYTES) pty.pause();
    void output(bytes).finally(() => {
      unread -= bytes.length;
      if (unread <= MAX_OUTPUT_BYTES && !ended) pty.resume();
    });
  });
  const exited = pty.onExit(() => {
    ended = true;
    onExit();
  });
  return {
    write(bytes) {
      if (!ended && input.writableLength <= MAX_INPUT_BYTES) input.write(bytes);
    },
    close() {
      if (ended) return;
      closed = true;
      exited.dispose();
      pty.onExit(() => {
        ended = true;
      });
      // A paused terminal would never tell that its shell has gone.
      pty.resume();
      signalGroup(pty.pid, 'SIGHUP');
      setTimeout(() => {
        if (!ended) signalGroup(pty.pid, 'SIGKILL');
      }, KILL_AFTER_MS).unref();
    },
  };
}

/**
 * On the appliance: a shell outside the agent's sandbox, as a transient unit of its own. It ends by the hang-up of
 * its terminal, and its unit takes along what it started.
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

/**
 * The terminal's own end as a stream: its `write` takes text only, and its queue has no public bound.
 * @throws Error when the library has come to keep it elsewhere
 */
function inputOf(pty: object): Socket {
  if ('_socket' in pty && pty._socket instanceof Socket) return pty._socket;
  throw new Error('the terminal has no stream for its input');
}

/** The shell leads the process group that has its number. */
function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // Gone already.
  }
}
