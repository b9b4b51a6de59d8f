import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import koffi, { type KoffiFunc } from 'koffi';
import { errorCode } from '../../agent/src/base/system-error.ts';

const LIBRARY = 'libc.so.6';
/** Larger than termios of any architecture, in bytes. */
const TERMIOS_BYTES = 256;
const MAX_NAME = 64;
const TCSANOW = 0;
/** O_NONBLOCK, because reads and writes are polled. The master is never this process's controlling terminal. */
const FLAGS = constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK;

interface Library {
  unlockpt: KoffiFunc<(fd: number) => number>;
  ptsname_r: KoffiFunc<(fd: number, name: Buffer, size: number) => number>;
  tcgetattr: KoffiFunc<(fd: number, termios: Buffer) => number>;
  cfmakeraw: KoffiFunc<(termios: Buffer) => void>;
  tcsetattr: KoffiFunc<(fd: number, when: number, termios: Buffer) => number>;
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

  /** @throws Error of the system when there are too many pseudo-terminals */
  constructor() {
    const { unlockpt, ptsname_r, tcgetattr, cfmakeraw, tcsetattr } = library();
    this.#fd = openSync('/dev/ptmx', FLAGS);
    try {
      const require = (what: string, result: number): void => {
        if (result !== 0) throw new Error(`${what} failed with error ${koffi.errno()}`);
      };
      const name = Buffer.alloc(MAX_NAME);
      const termios = Buffer.alloc(TERMIOS_BYTES);
      require('unlockpt', unlockpt(this.#fd));
      require('ptsname_r', ptsname_r(this.#fd, name, name.length));
      require('tcgetattr', tcgetattr(this.#fd, termios));
      cfmakeraw(termios);
      require('tcsetattr', tcsetattr(this.#fd, TCSANOW, termios));
      this.path = name.toString('latin1', 0, name.indexOf(0));
      // Before its first use, a master cannot be told from one that somebody has open.
      closeSync(openSync(this.path, FLAGS));
    } catch (error) {
      closeSync(this.#fd);
      throw error;
    }
  }

  /** Reads what programs have written. @returns bytes, 0 if there are none now, -1 if no program has it open */
  read(buffer: Buffer): number {
    try {
      return readSync(this.#fd, buffer);
    } catch (error) {
      if (errorCode(error) === 'EAGAIN') return 0;
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
  }
}
