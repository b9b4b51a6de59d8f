/**
 * Reads one range over and over on one connection, with a large buffer so that it costs little itself. A process of
 * its own: `range.ts PORT HOST PATH FIRST-LAST SECONDS`; prints `{"megabytesPerSecond"}`.
 */
import { connect } from 'node:net';

const [port = '', host = '', path = '', range = '', seconds = ''] = process.argv.slice(2);
const [first = 0, last = 0] = range.split('-').map(Number);
const request = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nRange: bytes=${range}\r\n\r\n`;
const until = performance.now() + Number(seconds) * 1000;
const begun = performance.now();
let total = 0;
/** Bytes of the answer under way that are to come; its head is not counted until it was read. */
let left = 0;

function receive(length: number, bytes: Uint8Array): boolean {
  let body = length;
  if (left === 0) {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, length).toString('latin1', 0, 4096);
    const head = text.indexOf('\r\n\r\n') + 4;
    if (!text.startsWith('HTTP/1.1 206') || head < 4)
      throw new Error(`unexpected answer: ${text.slice(0, 200)}`);
    left = last - first + 1;
    body -= head;
  }
  left -= body;
  total += body;
  if (left < 0) throw new Error('the answer is longer than the range');
  if (left > 0) return true;
  if (performance.now() < until) return socket.write(request) || true;
  const megabytesPerSecond = total / 1000 / (performance.now() - begun);
  console.log(JSON.stringify({ megabytesPerSecond }));
  socket.destroy();
  return true;
}

const socket = connect({
  port: Number(port),
  host: '127.0.0.1',
  onread: { buffer: Buffer.alloc(1024 * 1024), callback: receive },
});
socket.on('connect', () => socket.write(request));
socket.on('error', (error) => {
  throw error;
});
