/**
 * The protocol of /dev/cuse: a character device in user space (linux/fuse.h of Linux 6, version 7.31 of the protocol). Reading
 * and writing /dev/cuse is done elsewhere.
 */
import { ERRNO, SystemCallError } from './errors.ts';
import { IoctlAttempt, MoreMemory } from './ioctl.ts';

const OPEN = 14;
const READ = 15;
const WRITE = 16;
const RELEASE = 18;
const INTERRUPT = 36;
const IOCTL = 39;
const CUSE_INIT = 4096;

/** Version 7.31: the last that this program knows. */
const MINOR = 31;
/** Flag of CUSE_INIT: ioctls may use any memory of the caller. */
const UNRESTRICTED_IOCTL = 1;
const IOCTL_RETRY = 4;
/** Flag of OPEN: reads and writes are not cached. */
const DIRECT_IO = 1;
const REQUEST_HEAD = 40;
const REPLY_HEAD = 16;
const READ_WRITE_HEAD = 40;
const IOCTL_HEAD = 32;
/** Longest read or write, in bytes. */
export const MOST_BYTES = 65_536;

/** What a device does. Each may throw {@link SystemCallError}. @typeParam F what is known of an open file */
export interface CuseHandlers<F> {
  open(): F;
  read(file: F, length: number): Promise<Buffer>;
  write(file: F, bytes: Buffer): Promise<void>;
  /** @returns the result of the system call */
  ioctl(file: F, attempt: IoctlAttempt): Promise<number>;
}

/** The open files of a device, and its requests. */
export class CuseSession<F> {
  readonly #name: string;
  readonly #handlers: CuseHandlers<F>;
  readonly #files = new Map<bigint, F>();
  readonly #running = new Map<bigint, () => void>();
  #lastFile = 0n;

  /** @param name of the device in /dev */
  constructor(name: string, handlers: CuseHandlers<F>) {
    this.#name = name;
    this.#handlers = handlers;
  }

  /** Handles a request. @returns the reply; undefined if it has none */
  async handle(request: Buffer): Promise<Buffer | undefined> {
    const operation = request.readUInt32LE(4);
    const unique = request.readBigUInt64LE(8);
    const body = request.subarray(REQUEST_HEAD);
    if (operation === INTERRUPT) {
      this.#running.get(body.readBigUInt64LE(0))?.();
      return undefined;
    }
    const { promise: interrupted, reject } = Promise.withResolvers<never>();
    interrupted.catch(() => undefined);
    this.#running.set(unique, () => reject(new SystemCallError('EINTR')));
    try {
      return reply(unique, 0, await Promise.race([this.#run(operation, body), interrupted]));
    } catch (error) {
      if (error instanceof SystemCallError) return reply(unique, error.errno);
      console.error(error);
      return reply(unique, ERRNO.EIO);
    } finally {
      this.#running.delete(unique);
    }
  }

  async #run(operation: number, body: Buffer): Promise<Buffer> {
    if (operation === CUSE_INIT) return this.#initialised(body);
    if (operation === OPEN) return this.#opened();
    const handle = body.length >= 8 ? body.readBigUInt64LE(0) : 0n;
    const file = this.#files.get(handle);
    if (file === undefined) throw new SystemCallError('ENOSYS');
    switch (operation) {
      case READ:
        return await this.#handlers.read(file, body.readUInt32LE(16));
      case WRITE: {
        const bytes = body.subarray(READ_WRITE_HEAD, READ_WRITE_HEAD + body.readUInt32LE(16));
        await this.#handlers.write(file, bytes);
        return words(bytes.length, 0);
      }
      case RELEASE:
        this.#files.delete(handle);
        return Buffer.alloc(0);
      case IOCTL:
        return await this.#ioctl(file, body);
      default:
        throw new SystemCallError('ENOSYS');
    }
  }

  #initialised(body: Buffer): Buffer {
    const minor = Math.min(body.readUInt32LE(4), MINOR);
    // Version, unused, flags, longest read and write, device numbers of the kernel's choice, and reserved words.
    const fixed = [body.readUInt32LE(0), minor, 0, UNRESTRICTED_IOCTL, MOST_BYTES, MOST_BYTES, 0, 0];
    return Buffer.concat([words(...fixed, ...Array(10).fill(0)), Buffer.from(`DEVNAME=${this.#name}\0`)]);
  }

  #opened(): Buffer {
    const handle = ++this.#lastFile;
    this.#files.set(handle, this.#handlers.open());
    const out = Buffer.alloc(16);
    out.writeBigUInt64LE(handle);
    out.writeUInt32LE(DIRECT_IO, 8);
    return out;
  }

  async #ioctl(file: F, body: Buffer): Promise<Buffer> {
    const inputBytes = body.readUInt32LE(24);
    const attempt = new IoctlAttempt(
      body.readUInt32LE(12),
      body.readBigUInt64LE(16),
      body.subarray(IOCTL_HEAD, IOCTL_HEAD + inputBytes),
      body.readUInt32LE(28),
    );
    try {
      const result = await this.#handlers.ioctl(file, attempt);
      return Buffer.concat([words(result, 0, 0, 0), attempt.output]);
    } catch (error) {
      if (!(error instanceof MoreMemory)) throw error;
      const { inputs, outputs } = error;
      const spans = [...inputs, ...outputs].map(({ address, length }) => {
        const out = Buffer.alloc(16);
        out.writeBigUInt64LE(address);
        out.writeBigUInt64LE(BigInt(length), 8);
        return out;
      });
      return Buffer.concat([words(0, IOCTL_RETRY, inputs.length, outputs.length), ...spans]);
    }
  }
}

function words(...values: number[]): Buffer {
  const out = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) out.writeUInt32LE(value, 4 * index);
  return out;
}

function reply(unique: bigint, errno: number, body: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(REPLY_HEAD);
  head.writeUInt32LE(REPLY_HEAD + body.length);
  head.writeInt32LE(-errno, 4);
  head.writeBigUInt64LE(unique, 8);
  return Buffer.concat([head, body]);
}
