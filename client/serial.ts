/** The serial link over a tty of this computer, or over the unix socket of a virtual device. For Node. */
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { errorMessage } from '../agent/src/base/system-error.ts';
import { withTimeout } from '../agent/src/base/timeout.ts';
import type { Answer, RequestOptions, Transport } from './client.ts';
import { SerialFrames } from './serial-frames.ts';
import { openTty, SerialPortError, silentError } from './tty.ts';

const TEXT_KEPT = 256 * 1024;
const OPEN_TIMEOUT_MS = 5000;
/** A device answers within 0.2 s, an emulated one under load within seconds. */
const HELLO_TIMEOUT_MS = 10_000;
const HELLO_AGAIN_MS = 1000;

export interface SerialAnswer extends Answer {
  bytes: Buffer;
}

/** A host on a serial link of this computer. */
export class SerialChannel extends SerialFrames implements Transport<SerialAnswer> {
  /** The last 256 KiB of the received bytes: also what is not JSON, the output of a root shell. */
  text = '';
  /** What carries the frames. */
  readonly stream: Duplex;

  /** @param stream the open link @param disconnect closes it */
  constructor(stream: Duplex, disconnect: () => void = () => void stream.destroy()) {
    super({
      close: disconnect,
      write: async (text) => {
        if (stream.write(text) || stream.destroyed) return;
        const { promise, resolve } = Promise.withResolvers<void>();
        const go = (): void => resolve();
        stream.once('drain', go).once('close', go);
        await promise;
        stream.off('drain', go).off('close', go);
      },
    });
    this.stream = stream;
    stream.on('data', (chunk: Buffer) => {
      this.text = (this.text + chunk.toString('latin1')).slice(-TEXT_KEPT);
      this.receive(chunk);
    });
    stream.on('error', () => undefined);
    stream.on('close', () => this.lost());
  }

  override async request(method: string, path: string, options?: RequestOptions): Promise<SerialAnswer> {
    const answer = await super.request(method, path, options);
    return { ...answer, bytes: Buffer.from(answer.bytes) };
  }

  protected override context(): string {
    return `; the last received is ${JSON.stringify(this.text.slice(-300))}`;
  }
}

/**
 * Opens a serial link. @param path a tty, or a unix socket
 * @throws SerialPortError when it does not exist, or another program uses the tty
 */
export async function openSerial(path: string): Promise<SerialChannel> {
  const isSocket = await stat(path).then(
    (found) => found.isSocket(),
    // Names of ports on Windows are no files.
    () => false,
  );
  if (!isSocket) {
    const port = await openTty(path);
    return new SerialChannel(port, () => port.close());
  }
  const socket = connect(path);
  await withTimeout(once(socket, 'connect'), OPEN_TIMEOUT_MS).catch((error: unknown) => {
    socket.destroy();
    throw new SerialPortError('failed', `${path} cannot be opened: ${errorMessage(error)}`);
  });
  return new SerialChannel(socket);
}

/**
 * Opens a serial link, and waits for the device's hello.
 * @throws SerialPortError as {@link openSerial}, and when nobody answers
 */
export async function openGreeted(path: string, timeoutMs = HELLO_TIMEOUT_MS): Promise<SerialChannel> {
  const link = await openSerial(path);
  // Asked again, since the first time may have completed a line that the program before has begun.
  const ask = (): void => link.send({ type: 'hello' });
  const timer = setInterval(ask, HELLO_AGAIN_MS);
  try {
    ask();
    await link.frame('hello', undefined, timeoutMs);
    return link;
  } catch {
    const reason = await Promise.race([link.ended, undefined]);
    await link.close();
    if (reason) throw new SerialPortError('failed', `${path} was closed: ${reason.message}`);
    throw silentError(path, timeoutMs / 1000);
  } finally {
    clearInterval(timer);
  }
}
