import { ReceiptPrinter } from '../receipt-printer.ts';
import { EspRom } from './esp-rom.ts';

/** What is at the other end of a serial port. */
export interface SerialModel {
  /** @returns what it sends after it has received `data` */
  receive(data: Buffer): Buffer;
  /** What it keeps of what it got; empty for those that keep nothing. */
  take?(): Buffer;
}

/** A scale: a line "W" is answered with the weight. Lines end with CR LF. */
export class Scale implements SerialModel {
  #line = '';

  receive(data: Buffer): Buffer {
    const lines = (this.#line + data.toString('latin1')).slice(-200).split('\r\n');
    this.#line = lines.pop() ?? '';
    return Buffer.from(
      lines.map((line) => (line === 'W' ? 'ST,GS,  1.234 kg\r\n' : 'ES\r\n')).join(''),
      'latin1',
    );
  }
}

export const SERIAL_MODELS = ['echo', 'scale', 'esp', 'printer'] as const;
export type SerialModelName = (typeof SERIAL_MODELS)[number];

export function serialModel(name: SerialModelName): SerialModel {
  switch (name) {
    case 'echo':
      return { receive: (data) => data };
    case 'scale':
      return new Scale();
    case 'esp':
      return new EspRom();
    case 'printer':
      return new ReceiptPrinter();
  }
}
