/** The package in browsers: HTTP and WebSocket, or Web Serial. */
import { BASE_PATH } from '../agent/src/contract/api.ts';
import { browserTransport } from './browser.ts';
import { Device } from './device.ts';
import { SerialFrames } from './serial-frames.ts';

export { RequestError } from './client.ts';
export type { ArgumentsOf, ErrorCode, EventOf, PathOf, ResponseOf, TopicName } from './contract.ts';
export { Device, type ShowTarget, type UpdateStep } from './device.ts';
export { WaitError, type WaitOptions } from './waits.ts';

/** What is used of a port of Web Serial (https://wicg.github.io/serial/). */
export interface WebSerialPort {
  readonly readable: ReadableStream<Uint8Array> | null;
  readonly writable: WritableStream<Uint8Array> | null;
  open(options: { baudRate: number }): Promise<void>;
  close(): Promise<void>;
}

/** The device that has served this page, or one at an origin. A device refuses pages of other origins. */
export function connect(origin: string = location.origin): Device {
  return new Device(browserTransport(new URL(origin).origin + BASE_PATH));
}

/**
 * A device on a serial port that the user has chosen (`navigator.serial.requestPort()`).
 * @throws DOMException when it cannot be opened
 */
export async function connectSerial(port: WebSerialPort): Promise<Device> {
  // The line's speed has no effect on USB.
  await port.open({ baudRate: 115_200 });
  const reader = port.readable?.getReader();
  const writer = port.writable?.getWriter();
  if (!reader || !writer) throw new DOMException('the port cannot be read and written', 'InvalidStateError');
  const encoder = new TextEncoder();
  const frames = new SerialFrames({
    write: (text) => writer.write(encoder.encode(text)).catch(() => undefined),
    close: async () => {
      await reader.cancel().catch(() => undefined);
      await writer.close().catch(() => undefined);
      await ended;
    },
  });
  const receive = async (): Promise<void> => {
    for (let part = await reader.read(); !part.done; part = await reader.read()) frames.receive(part.value);
  };
  // An unplugged port is an error here.
  const ended = receive()
    .catch(() => undefined)
    .then(async () => {
      reader.releaseLock();
      writer.releaseLock();
      await port.close().catch(() => undefined);
      frames.lost();
    });
  return new Device(frames);
}
