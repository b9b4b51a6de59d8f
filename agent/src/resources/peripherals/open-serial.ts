import { PageError } from '../page/page-error.ts';
import { OpenDevice, type RequestOf } from './open-device.ts';
import type { IoEvent, SerialPeripheral } from './ports.ts';

/** Bytes that the program may have read and the page has not got. */
const WINDOW = 64 * 1024;
/** Pieces that are kept as they came: a port may send single bytes, which need more memory than they are. */
const MAX_PIECES = 256;
/** Events that are on their way to the page at a time. */
const MAX_SENDING = 4;

/** Received, and not on its way to the page. */
type Received = { data: Buffer[] } | { error: string };

/** A serial port that a page has open. It is read as far as the page asks, and no more than a window ahead of it. */
export class OpenSerial extends OpenDevice<SerialPeripheral> {
  /** Bytes that come meanwhile are one event. Of each error there is one, so a port that reports nothing else fills nothing. */
  readonly #received: Received[] = [];
  /** Errors that the page has not got. */
  readonly #errors = new Set<string>();
  #sending = 0;
  /** Bytes that the page takes and the program has not been asked for. */
  #wanted = 0;
  /** Bytes that the program was asked for and the page has not got. */
  #asked = 0;

  override async perform(request: RequestOf<'serial'>): Promise<object> {
    switch (request.call) {
      case 'serial.write':
        return await this.#send('write', { data: request.data });
      case 'serial.drain':
        return await this.#send('drain');
      case 'serial.flush':
        await this.command('flush', { direction: request.direction });
        return {};
      case 'serial.credit':
        this.#wanted = Math.min(this.#wanted + request.bytes, Number.MAX_SAFE_INTEGER);
        this.#ask();
        return {};
      case 'serial.set_signals': {
        const { dataTerminalReady, requestToSend, break: isBreak } = request;
        await this.command('set_signals', { dataTerminalReady, requestToSend, break: isBreak });
        return {};
      }
      case 'serial.get_signals':
        return await this.command('get_signals');
      default:
        throw new PageError('NotSupportedError', 'The port does not know this call.');
    }
  }

  override take(event: IoEvent): void {
    const last = this.#received.at(-1);
    if (event.event === 'data') {
      const bytes = Buffer.from(event.data, 'base64');
      if (!last || !('data' in last)) this.#received.push({ data: [bytes] });
      else if (last.data.push(bytes) >= MAX_PIECES) last.data = [Buffer.concat(last.data)];
    } else if (event.event === 'receive_error' && !this.#errors.has(event.name)) {
      this.#errors.add(event.name);
      this.#received.push({ error: event.name });
    }
    this.#deliver();
  }

  #deliver(): void {
    while (this.#sending < MAX_SENDING) {
      const next = this.#received.shift();
      if (!next) return;
      this.#sending += 1;
      void this.#pass(next).finally(() => {
        this.#sending -= 1;
        this.#deliver();
      });
    }
  }

  async #pass(received: Received): Promise<void> {
    const { device } = this;
    if ('error' in received) {
      await this.emit({ event: 'serial.error', device, name: received.error });
      this.#errors.delete(received.error);
      return;
    }
    const bytes = Buffer.concat(received.data);
    await this.emit({ event: 'serial.data', device, data: bytes.toString('base64') });
    this.#asked = Math.max(0, this.#asked - bytes.length);
    this.#ask();
  }

  async #send(command: string, fields: object = {}): Promise<object> {
    await this.command(command, fields);
    return {};
  }

  #ask(): void {
    const bytes = Math.min(this.#wanted, WINDOW - this.#asked);
    if (bytes <= 0) return;
    this.#wanted -= bytes;
    this.#asked += bytes;
    // A program that has ended has closed the port, which is an event of its own.
    this.command('credit', { bytes }).catch(() => undefined);
  }
}
