import { fstatSync, writeSync } from 'node:fs';
import { errorCode } from '../../base/system-error.ts';

/** Input that the programs in the terminal have not read; more is dropped, as by any terminal. In bytes. */
const MAX_QUEUED_BYTES = 64 * 1024;
/** How often a full terminal is tried again, in ms. */
const RETRY_MS = 10;

export interface TerminalInput {
  /** Queues raw bytes. Never blocks. */
  write(bytes: Buffer): void;
  /** Drops what is queued. Call it before or right after the terminal closes. */
  close(): void;
}

/**
 * Writes to a terminal of node-pty by its file descriptor. Its own `write` takes text only and has no bound; worse, libuv
 * writes to this end of a terminal in blocking mode: as soon as a program leaves some kilobytes unread (its input in raw
 * mode), the write, and with it the agent, spins until it reads. `fd` is a public accessor that node-pty's types lack.
 * @throws Error when node-pty has no `fd` any more
 */
export function terminalInput(pty: object): TerminalInput {
  if (!('fd' in pty) || typeof pty.fd !== 'number') throw new Error('the terminal has no file descriptor');
  const { fd } = pty;
  const { rdev } = fstatSync(fd);
  let queue = Buffer.alloc(0);
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  const flush = () => {
    timer = undefined;
    try {
      while (queue.length > 0) {
        // node-pty closes the descriptor before it reports the exit, and a file or socket may have got its number.
        if (fstatSync(fd).rdev !== rdev) return close();
        queue = queue.subarray(writeSync(fd, queue));
      }
    } catch (error) {
      if (errorCode(error) === 'EAGAIN') timer = setTimeout(flush, RETRY_MS);
      else close();
    }
  };
  const close = () => {
    closed = true;
    clearTimeout(timer);
    queue = Buffer.alloc(0);
  };
  return {
    write(bytes) {
      if (closed || queue.length + bytes.length > MAX_QUEUED_BYTES) return;
      queue = Buffer.concat([queue, bytes]);
      if (!timer) flush();
    },
    close,
  };
}
