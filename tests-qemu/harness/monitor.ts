import { connect } from 'node:net';
import { within } from '../../lib/wait.ts';
import type { Device } from './device.ts';

/** Messages of RFB (RFC 6143), and one of its registered extensions. */
const VERSION = 'RFB 003.008\n';
const NO_PASSWORD = 1;
const SHARED = 1;
const SERVER_INIT_BYTES = 24;
const SET_DESKTOP_SIZE = 251;
const TIMEOUT_MS = 10_000;

/**
 * Exchanges the monitor at the device's graphics card for one that prefers another size. QEMU does this when a VNC
 * client asks for another size: the card gets another EDID, and the guest's driver is told.
 */
export async function exchangeMonitor({ machine }: Device, width: number, height: number): Promise<void> {
  const [host, port] = (await machine.vncAddress())?.split(':') ?? [];
  const socket = connect({ host, port: Number(port) });
  const exchange = async (): Promise<void> => {
    const chunks: AsyncIterator<Buffer> = socket[Symbol.asyncIterator]();
    const read = reader(chunks);
    await read(VERSION.length);
    socket.write(VERSION);
    const [types = 0] = await read(1);
    await read(types);
    socket.write(Buffer.of(NO_PASSWORD));
    await read(4); // the result
    socket.write(Buffer.of(SHARED));
    await read(SERVER_INIT_BYTES);
    const request = Buffer.alloc(24);
    request.writeUInt8(SET_DESKTOP_SIZE, 0);
    request.writeUInt16BE(width, 2);
    request.writeUInt16BE(height, 4);
    request.writeUInt8(1, 6); // one screen, at 0,0
    request.writeUInt16BE(width, 16);
    request.writeUInt16BE(height, 18);
    socket.end(request);
    while (!(await chunks.next()).done);
  };
  try {
    await within(exchange(), TIMEOUT_MS, 'QEMU to exchange the monitor');
  } finally {
    socket.destroy();
  }
}

/** Reads exactly that many bytes. */
function reader(chunks: AsyncIterator<Buffer>): (bytes: number) => Promise<Buffer> {
  let rest = Buffer.alloc(0);
  return async (bytes) => {
    while (rest.length < bytes) {
      const { value, done } = await chunks.next();
      if (done) throw new Error('QEMU closed the VNC connection');
      rest = Buffer.concat([rest, value]);
    }
    const taken = rest.subarray(0, bytes);
    rest = rest.subarray(bytes);
    return taken;
  };
}
