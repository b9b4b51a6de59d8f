import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import koffi, { type KoffiFunc } from 'koffi';
import { errorCode } from '../../agent/src/base/system-error.ts';

const LIBRARY = 'libc.so.6';
/** Larger than termios of any architecture, in bytes. */
const TERMIOS_BYTES = 256;
const MAX_NAME = 64;
const TCSANOW = 0;
/** inotify(7): its events of a file have 16 bytes, the second word is the mask. */
const IN_CLOEXEC = 0o2000000;
const IN_OPEN = 0x20;
const IN_CLOSE = 0x18;
const EVENT_BYTES = 16;
const MASK_AT = 4;
const MOST_EVENTS = 256;
/** O_NONBLOCK, because reads and writes are polled. The master is never this process's controlling terminal. */
const FLAGS = constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK;

interface Library {
  unlockpt: KoffiFunc<(fd: number) => number>;
  ptsname_r: KoffiFunc<(fd: number, name: Buffer, size: number) => number>;
  tcgetattr: KoffiFunc<(fd: number, termios: Buffer) => number>;
  cfmakeraw: KoffiFunc<(termios: Buffer) => void>;
  tcsetattr: KoffiFunc<(fd: number, when: number, termios: Buffer) => number>;
  inotify_init1: KoffiFunc<(flags: number) => number>;
  inotify_add_watch: KoffiFunc<(fd: number, path: string, mask: number) => number>;
}

let loaded: Library | undefined;

/** Loaded late: most commands need no native code. */
function library(): Library {
  if (loaded) return loaded;
  const lib = koffi.load(LIBRARY);
  loaded = {
    unlockpt: lib.func('unlockpt', 'int', ['int']),
    ptsname_r: lib.func('ptsname_r', 'int', ['int', 'void *', 'size_t']),
    tcgetattr: lib.func('tcgetattr', 'int', ['int', 'void *']),
    cfmakeraw: lib.func('cfmakeraw', 'void', ['void *']),
    tcsetattr: lib.func('tcsetattr', 'int', ['int', 'int', 'void *']),
    inotify_init1: lib.func('inotify_init1', 'int', ['int']),
    inotify_add_watch: lib.func('inotify_add_watch', 'int', ['int', 'const char *', 'uint32_t']),
  };
  return loaded;
}

/**
 * A new pseudo-terminal in raw mode, without echo (pty(7)). This process has its master; other programs open `path`.
 * Not a stream, because libuv writes to a master in blocking mode: it would stop this process as soon as a program leaves
 * some kilobytes unread.
 */
export class PseudoTerminal {
  /** `/dev/pts/7` */
  readonly path: string;
  readonly #fd: number;
  readonly #watch: number;
  readonly #events = Buffer.alloc(MOST_EVENTS * EVENT_BYTES);
  /** How many times it is open. */
  #uses = 0;

  /** @throws Error of the system when there are too many pseudo-terminals */
  constructor() {
    const { unlockpt, ptsname_r, inotify_init1, inotify_add_watch } = library();
    this.#watch = required('inotify_init1', inotify_init1(IN_CLOEXEC | constants.O_NONBLOCK));
    let fd: number | undefined;
    try {
      fd = openSync('/dev/ptmx', FLAGS);
      const name = Buffer.alloc(MAX_NAME);
      required('unlockpt', unlockpt(fd));
      required('ptsname_r', -ptsname_r(fd, name, name.length));
      setRaw(fd);
      this.#fd = fd;
      this.path = name.toString('latin1', 0, name.indexOf(0));
      // Before its first use, a master cannot be told from one that somebody has open.
      closeSync(openSync(this.path, FLAGS));
      required('inotify_add_watch', inotify_add_watch(this.#watch, this.path, IN_OPEN | IN_CLOSE));
    } catch (error) {
      if (fd !== undefined) closeSync(fd);
      closeSync(this.#watch);
      throw error;
    }
  }

  /** Whether, since the last call, all programs have closed it and one has opened it again. */
  wasReopened(): boolean {
    let wasClosed = false;
    let isReopened = false;
    const count = readNow(this.#watch, this.#events);
    for (let at = 0; at + EVENT_BYTES <= count; at += EVENT_BYTES) {
      const mask = this.#events.readUInt32LE(at + MASK_AT);
      if (mask & IN_OPEN) {
        this.#uses += 1;
        isReopened = wasClosed;
      } else if (mask & IN_CLOSE) {
        this.#uses = Math.max(this.#uses - 1, 0);
        wasClosed ||= this.#uses === 0;
      }
    }
    return isReopened;
  }

  /** Reads what programs have written. @returns bytes, 0 if there are none now, -1 if no program has it open */
  read(buffer: Buffer): number {
    try {
      return readNow(this.#fd, buffer);
    } catch (error) {
      if (errorCode(error) === 'EIO') return -1;
      throw error;
    }
  }

  /** @returns how many bytes there was room for; 0 also if no program has it open */
  write(bytes: Buffer): number {
    try {
      return writeSync(this.#fd, bytes);
    } catch (error) {
      if (errorCode(error) === 'EAGAIN' || errorCode(error) === 'EIO') return 0;
      throw error;
    }
  }

  /** Programs that have it open read the end of the line. */
  close(): void {
    closeSync(this.#fd);
    closeSync(this.#watch);
  }
}

/** Raw mode, without echo. On a master, these calls mean the other end (tty_ioctl(4)). */
function setRaw(master: number): void {
  const { tcgetattr, cfmakeraw, tcsetattr } = library();
  const termios = Buffer.alloc(TERMIOS_BYTES);
  required('tcgetattr', tcgetattr(master, termios));
  cfmakeraw(termios);
  required('tcsetattr', tcsetattr(master, TCSANOW, termios));
}

/** @returns the result of a call. @throws Error when it is negative */
function required(what: string, result: number): number {
  if (result < 0) throw new Error(`${what} failed with error ${koffi.errno()}`);
  return result;
}

/** @returns how many bytes were read, 0 if there are none now */
function readNow(fd: number, buffer: Buffer): number {
  try {
    return readSync(fd, buffer);
  } catch (error) {
    if (errorCode(error) === 'EAGAIN') return 0;
    throw error;
  }
}
