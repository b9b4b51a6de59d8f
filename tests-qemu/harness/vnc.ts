import { connect, type Socket } from 'node:net';
import { within } from '../../lib/wait.ts';
import type { Device } from './device.ts';

/** Messages of RFB (RFC 6143), and one of its registered extensions. */
const VERSION = 'RFB 003.008\n';
const NO_PASSWORD = 1;
const SHARED = 1;
const SERVER_INIT_BYTES = 24;
const KEY_EVENT = 4;
const POINTER_EVENT = 5;
const SET_DESKTOP_SIZE = 251;
const TIMEOUT_MS = 10_000;

/** X11's code of a key. */
export const CONTROL_KEY = 0xffe3;
/** Buttons of the pointer, as bits of a mask. */
export const LEFT_BUTTON = 1;
export const WHEEL_UP = 8;

/** A VNC client of a device's screen, for input from outside of the device. */
export class VncClient {
  readonly #socket: Socket;
  readonly #width: number;
  readonly #height: number;

  static async connect({ host: device }: Device): Promise<VncClient> {
    const [host, port] = (await device.vncAddress())?.split(':') ?? [];
    const socket = connect({ host, port: Number(port) });
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
    // Pictures are not asked for; what else the server says is not needed.
    socket.on('error', () => undefined);
    socket.resume();
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
    await within(closed, TIMEOUT_MS, 'the VNC server to close').finally(() => this.#socket.destroy());
  }
}

/** Negotiates with the server; gives the size of the screen. */
async function greet(socket: Socket): Promise<{ width: number; height: number }> {
  const read = reader(socket);
  await read(VERSION.length);
  socket.write(VERSION);
  const [types = 0] = await read(1);
  await read(types);
  socket.write(Buffer.of(NO_PASSWORD));
  await read(4); // the result
  socket.write(Buffer.of(SHARED));
  const init = await read(SERVER_INIT_BYTES);
  await read(init.readUInt32BE(20)); // the name
  return { width: init.readUInt16BE(0), height: init.readUInt16BE(2) };
}

/** Reads exactly that many bytes. */
function reader(socket: Socket): (bytes: number) => Promise<Buffer> {
  return async (bytes) => {
    for (;;) {
      const chunk: unknown = bytes === 0 ? Buffer.alloc(0) : socket.read(bytes);
      if (chunk instanceof Buffer) return chunk;
      if (socket.readableEnded || socket.destroyed) throw new Error('the VNC server closed the connection');
      await new Promise<void>((resolve) => {
        socket.once('readable', resolve);
        socket.once('close', resolve);
      });
    }
  };
}
