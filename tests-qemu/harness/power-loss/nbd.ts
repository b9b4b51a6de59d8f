import { rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import type { VolatileDisk } from './volatile-disk.ts';

// The protocol: https://github.com/NetworkBlockDevice/nbd/blob/master/doc/proto.md; fixed newstyle, simple replies.
const MAGIC = 0x4e42444d41474943n;
const OPTION_MAGIC = 0x49484156454f5054n;
const OPTION_REPLY_MAGIC = 0x3e889045565a9n;
const REQUEST_MAGIC = 0x25609513;
const REPLY_MAGIC = 0x67446698;
const HANDSHAKE = { fixedNewstyle: 1, noZeroes: 2 };
const OPTION = { abort: 2, go: 7 };
const ANSWER = { ack: 1, info: 3, unsupported: 2 ** 31 + 1 };
const INFO_EXPORT = 0;
const EXPORT = { hasFlags: 1, sendFlush: 4, sendFua: 8 };
const COMMAND = { read: 0, write: 1, disconnect: 2, flush: 3 };
const COMMAND_FUA = 1;
const EINVAL = 22;

const OPTION_HEADER = 16;
const REQUEST_HEADER = 28;
/** QEMU sends no more than 32 MiB at once. */
const MAX_LENGTH = 32 * 2 ** 20;

/** Serves a disk to one QEMU at a time on a unix socket. It can stop answering, to simulate a power cut. */
export class NbdServer {
  readonly #disk: VolatileDisk;
  readonly #path: string;
  readonly #server: Server;
  readonly #clients = new Set<Socket>();
  #failure: Error | undefined;
  #commandsLeft = Number.POSITIVE_INFINITY;
  #onFrozen: (() => void) | undefined;

  static async start(disk: VolatileDisk, path: string): Promise<NbdServer> {
    await rm(path, { force: true });
    const server = new NbdServer(disk, path);
    await new Promise<void>((resolve, reject) => {
      server.#server.once('error', reject);
      server.#server.listen(path, resolve);
    });
    return server;
  }

  private constructor(disk: VolatileDisk, path: string) {
    this.#disk = disk;
    this.#path = path;
    this.#server = createServer((socket) => this.#serve(socket));
  }

  /** The error of a client, if any: the machine itself only sees a failing disk. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /**
   * Executes this many further writes and flushes, at least one. After that no command is executed or answered until
   * {@link thaw}.
   * @param frozen called after the last executed command
   */
  freezeAfter(commands: number, frozen: () => void): void {
    this.#commandsLeft = commands;
    this.#onFrozen = frozen;
  }

  /** From now on no command is executed or answered. */
  freeze(): void {
    this.#commandsLeft = 0;
    this.#onFrozen = undefined;
  }

  /** Commands are executed and answered again. */
  thaw(): void {
    this.#commandsLeft = Number.POSITIVE_INFINITY;
    this.#onFrozen = undefined;
  }

  async close(): Promise<void> {
    for (const client of this.#clients) client.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
    await rm(this.#path, { force: true });
  }

  #serve(socket: Socket): void {
    this.#clients.add(socket);
    const input = new Input();
    const talk = this.#talk(socket, input);
    socket.on('data', (chunk) => {
      input.push(chunk);
      try {
        talk.next();
      } catch (error) {
        this.#failure = error instanceof Error ? error : new Error(String(error));
        socket.destroy();
      }
    });
    socket.on('error', () => undefined);
    socket.on('close', () => this.#clients.delete(socket));
    talk.next();
  }

  /** The protocol with a client. Yields when it needs more input. */
  *#talk(socket: Socket, input: Input): Generator<void, void> {
    const greeting = Buffer.alloc(18);
    greeting.writeBigUInt64BE(MAGIC, 0);
    greeting.writeBigUInt64BE(OPTION_MAGIC, 8);
    greeting.writeUInt16BE(HANDSHAKE.fixedNewstyle | HANDSHAKE.noZeroes, 16);
    socket.write(greeting);
    yield* input.take(4); // the client's flags
    for (;;) {
      const head = yield* input.take(OPTION_HEADER);
      if (head.readBigUInt64BE(0) !== OPTION_MAGIC) throw new Error('not an option of the NBD handshake');
      const option = head.readUInt32BE(8);
      yield* input.take(length(head.readUInt32BE(12)));
      if (option === OPTION.go) {
        const info = Buffer.alloc(12);
        info.writeUInt16BE(INFO_EXPORT, 0);
        info.writeBigUInt64BE(BigInt(this.#disk.size), 2);
        info.writeUInt16BE(EXPORT.hasFlags | EXPORT.sendFlush | EXPORT.sendFua, 10);
        socket.write(optionReply(option, ANSWER.info, info));
        socket.write(optionReply(option, ANSWER.ack));
        break;
      }
      socket.write(optionReply(option, option === OPTION.abort ? ANSWER.ack : ANSWER.unsupported));
      if (option === OPTION.abort) return;
    }
    while (yield* this.#command(socket, input));
    socket.end();
  }

  /** One command of the transmission phase; false at its end. */
  *#command(socket: Socket, input: Input): Generator<void, boolean> {
    const head = yield* input.take(REQUEST_HEADER);
    if (head.readUInt32BE(0) !== REQUEST_MAGIC) throw new Error('not an NBD request');
    const [flags, type] = [head.readUInt16BE(4), head.readUInt16BE(6)];
    const offset = Number(head.readBigUInt64BE(16));
    const size = length(head.readUInt32BE(24));
    if (type === COMMAND.disconnect) return false;
    const data = type === COMMAND.write ? yield* input.take(size) : Buffer.alloc(0);
    if (this.#commandsLeft === 0) return true;
    const reply = Buffer.alloc(16);
    reply.writeUInt32BE(REPLY_MAGIC, 0);
    head.copy(reply, 8, 8, 16); // the client's id of the request
    if (offset + size > this.#disk.size) reply.writeUInt32BE(EINVAL, 4);
    else if (type === COMMAND.read) {
      socket.write(reply);
      socket.write(this.#disk.read(offset, size));
      return true;
    } else if (type === COMMAND.write) this.#disk.write(offset, data, (flags & COMMAND_FUA) !== 0);
    else if (type === COMMAND.flush) this.#disk.flush();
    else reply.writeUInt32BE(EINVAL, 4);
    socket.write(reply);
    this.#count();
    return true;
  }

  /** Counts a command that changes the disk, and freezes after the last permitted one. */
  #count(): void {
    this.#commandsLeft--;
    if (this.#commandsLeft === 0) this.#onFrozen?.();
  }
}

function length(asked: number): number {
  if (asked > MAX_LENGTH) throw new Error(`a request of ${asked} bytes`);
  return asked;
}

function optionReply(option: number, answer: number, data: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(20);
  head.writeBigUInt64BE(OPTION_REPLY_MAGIC, 0);
  head.writeUInt32BE(option, 8);
  head.writeUInt32BE(answer, 12);
  head.writeUInt32BE(data.length, 16);
  return Buffer.concat([head, data]);
}

/** Received bytes that are not read yet. */
class Input {
  #chunks: Buffer[] = [];
  #length = 0;

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
  }

  /** The next `count` bytes. Yields until they have arrived. */
  *take(count: number): Generator<void, Buffer> {
    while (this.#length < count) yield;
    const [first, ...others] = this.#chunks;
    // A big write is copied only once, however many pieces it came in.
    const all = first && others.length === 0 ? first : Buffer.concat(this.#chunks);
    this.#length -= count;
    this.#chunks = this.#length > 0 ? [all.subarray(count)] : [];
    return all.subarray(0, count);
  }
}
