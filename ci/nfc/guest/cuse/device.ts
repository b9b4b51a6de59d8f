import { closeSync, constants, openSync, read, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { type CuseHandlers, CuseSession, MOST_BYTES } from './protocol.ts';

const readAsync = promisify(read);
/** Room for the head of a request. */
const HEAD_ROOM = 4096;
const CUSE_INIT = 4096;

/** Errors of /dev/cuse after which reading goes on: a request was taken back, or a signal came. */
const HARMLESS = new Set(['EINTR', 'EAGAIN', 'ENOENT', 'ENODEV']);

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/**
 * Makes a character device of the kernel's module cuse, which must be loaded. Holds one thread of libuv. The device is there
 * when the promise resolves, for root only.
 * @returns ends it
 */
export async function serveCuse<F>(name: string, handlers: CuseHandlers<F>): Promise<() => void> {
  const session = new CuseSession(name, handlers);
  const fd = openSync('/dev/cuse', constants.O_RDWR);
  const ready = Promise.withResolvers<void>();
  const answerTo = async (request: Buffer): Promise<void> => {
    const reply = await session.handle(request);
    try {
      if (reply) writeSync(fd, reply);
    } catch (error) {
      // The caller no longer waits.
      if (!HARMLESS.has(codeOf(error))) throw error;
    }
    if (request.readUInt32LE(4) === CUSE_INIT) ready.resolve();
  };
  const loop = async (): Promise<void> => {
    const buffer = Buffer.alloc(MOST_BYTES * 4 + HEAD_ROOM);
    for (;;) {
      try {
        const { bytesRead } = await readAsync(fd, buffer, 0, buffer.length, null);
        void answerTo(Buffer.from(buffer.subarray(0, bytesRead))).catch((error: unknown) =>
          console.error(error),
        );
      } catch (error) {
        if (codeOf(error) === 'ENODEV' || !HARMLESS.has(codeOf(error))) {
          ready.reject(error);
          return;
        }
      }
    }
  };
  void loop();
  await ready.promise;
  return () => closeSync(fd);
}
