import { connect, type Socket } from 'node:net';
import type { Picture } from '../../testing/png.ts';
import { within } from '../../testing/wait.ts';

/** Messages of RFB (RFC 6143), and one of its registered extensions. */
const VERSION = 'RFB 003.008\n';
const NO_PASSWORD = 1;
const SHARED = 1;
const SERVER_INIT_BYTES = 24;
const KEY_EVENT = 4;
const POINTER_EVENT = 5;
const SET_DESKTOP_SIZE = 251;
/** 32 bits for each pixel, blue first. */
const SET_PIXEL_FORMAT = Buffer.from('00000000' + '20180001' + '00ff00ff00ff' + '100800' + '000000', 'hex');
/** Only raw pixels. */
const SET_ENCODINGS = Buffer.from('02000001' + '00000000', 'hex');
const FRAMEBUFFER_UPDATE = 0;
const TIMEOUT_MS = 10_000;

/** X11's code of a key. */
export const CONTROL_KEY = 0xffe3;
/** Buttons of the pointer, as bits of a mask. */
export const LEFT_BUTTON = 1;
export const WHEEL_UP = 8;

/** A VNC client: sees the screen and gives input, both from outside of the device. */
export class VncClient {
  readonly #socket: Socket;
  readonly #width: number;
  readonly #height: number;

  /** @param address `127.0.0.1:5900` */
  static async connect(address: string | undefined): Promise<VncClient> {
    const [host, port] = address?.split(':') ?? [];
    const socket = connect({ host, port: Number(port) });
    socket.on('error', () => undefined);
    try {
      const size = await within(greet(socket), TIMEOUT_MS, 'the greeting of the VNC server');
      return new VncClient(socket, size);
    } catch (error) {
      socket.destroy();
      throw error;
    }
  }

  private constructor(socket: Socket, { width, height }: { width: number; height: number }) {
    this.#socket = socket;
    this.#width = width;
    this.#height = height;
    socket.write(SET_PIXEL_FORMAT);
    socket.write(SET_ENCODINGS);
  }

  /** The whole screen. */
  async picture(): Promise<Picture> {
    const [width, height] = [this.#width, this.#height];
    const request = Buffer.from('0300000000000000' + '0000', 'hex');
    request.writeUInt16BE(width, 6);
    request.writeUInt16BE(height, 8);
    this.#socket.write(request);
    const rgb = Buffer.alloc(width * height * 3);
    await within(this.#readUpdate(rgb), TIMEOUT_MS, 'a picture of the VNC server');
    return { width, height, rgb };
  }

  async #readUpdate(rgb: Buffer): Promise<void> {
    const [type = -1] = await read(this.#socket, 1);
    if (type !== FRAMEBUFFER_UPDATE) throw new Error(`the VNC server sent the message ${type}`);
    const rectangles = (await read(this.#socket, 3)).readUInt16BE(1);
    for (let i = 0; i < rectangles; i++) {
      const header = await read(this.#socket, 12);
      const [left = 0, top = 0, width = 0, height = 0] = [0, 2, 4, 6].map((at) => header.readUInt16BE(at));
      if (header.readInt32BE(8) !== 0)
        throw new Error(`the VNC server sent the encoding ${header.readInt32BE(8)}`);
      const pixels = await read(this.#socket, width * height * 4);
      for (let y = 0; y < height; y++) {
        for (let x = 0; x < width; x++) {
          const from = (y * width + x) * 4;
          const to = ((top + y) * this.#width + left + x) * 3;
          rgb[to] = pixels[from + 2] ?? 0;
          rgb[to + 1] = pixels[from + 1] ?? 0;
          rgb[to + 2] = pixels[from] ?? 0;
        }
      }
    }
  }

  key(code: number, down: boolean): void {
    const message = Buffer.alloc(8);
    message.writeUInt8(KEY_EVENT, 0);
    message.writeUInt8(down ? 1 : 0, 1);
    message.writeUInt32BE(code, 4);
    this.#socket.write(message);
  }

  /**
   * @param x 0 to 1, from the left
   * @param y 0 to 1, from the top
   * @param buttons mask of those that are pressed
   */
  pointer(x: number, y: number, buttons: number): void {
    const message = Buffer.alloc(6);
    message.writeUInt8(POINTER_EVENT, 0);
    message.writeUInt8(buttons, 1);
    message.writeUInt16BE(Math.round(x * (this.#width - 1)), 2);
    message.writeUInt16BE(Math.round(y * (this.#height - 1)), 4);
    this.#socket.write(message);
  }

  /** Asks for another size of the screen. QEMU then gives the card another EDID, and the guest's driver is told. */
  resize(width: number, height: number): void {
    const request = Buffer.alloc(24);
    request.writeUInt8(SET_DESKTOP_SIZE, 0);
    request.writeUInt16BE(width, 2);
    request.writeUInt16BE(height, 4);
    request.writeUInt8(1, 6); // one screen, at 0,0
    request.writeUInt16BE(width, 16);
    request.writeUInt16BE(height, 18);
    this.#socket.write(request);
  }

  /** Ends the connection when the server has got everything. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#socket.once('close', resolve));
    this.#socket.end();
    this.#socket.resume();
    await within(closed, TIMEOUT_MS, 'the VNC server to close').finally(() => this.#socket.destroy());
  }
}

/** Negotiates with the server; gives the size of the screen. */
async function greet(socket: Socket): Promise<{ width: number; height: number }> {
  await read(socket, VERSION.length);
  socket.write(VERSION);
  const [types = 0] = await read(socket, 1);
  await read(socket, types);
  socket.write(Buffer.of(NO_PASSWORD));
  await read(socket, 4); // the result
  socket.write(Buffer.of(SHARED));
  const init = await read(socket, SERVER_INIT_BYTES);
  await read(socket, init.readUInt32BE(20)); // the name
  return { width: init.readUInt16BE(0), height: init.readUInt16BE(2) };
}

/** Reads exactly that many bytes. */
async function read(socket: Socket, bytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let missing = bytes;
  while (missing > 0) {
    const chunk: unknown = socket.read(Math.min(missing, socket.readableLength));
    if (chunk instanceof Buffer) {
      chunks.push(chunk);
      missing -= chunk.length;
      continue;
    }
    if (socket.readableEnded || socket.destroyed) throw new Error('the VNC server closed the connection');
    await new Promise<void>((resolve) => {
      const done = (): void => {
        socket.off('readable', done);
        socket.off('close', done);
        resolve();
      };
      socket.on('readable', done);
      socket.on('close', done);
    });
  }
  return Buffer.concat(chunks);
}
