/** Results of WebUSB's transfers, which pages may construct too. */
import { freeze, typeError, View } from './builtins.ts';
import { enumeration, integer, sequence } from './webidl.ts';

const STATUSES = ['ok', 'stall', 'babble'] as const;

/** The IDL has null where its types have undefined. */
const NO_DATA = null as unknown as undefined;

const toStatus = (value: unknown): USBTransferStatus => enumeration(value, STATUSES, 'status');

function toData(value: unknown): DataView | undefined {
  if (value === undefined || value === null) return NO_DATA;
  if (!(value instanceof View)) throw typeError('The data is not a DataView.');
  return value;
}

const toCount = (value: unknown): number => (value === undefined ? 0 : integer(value, 32));

/** @throws TypeError if not all are objects of a class */
function toPackets<T extends object>(value: unknown, type: new (...args: never[]) => T): T[] {
  const convert = (element: unknown): T => {
    if (!(element instanceof type)) throw typeError('The packets have another type.');
    return element;
  };
  const packets = sequence(value, convert, 'packets');
  freeze(packets);
  return packets;
}

/** A class of its own for each interface that has these attributes. */
const inClass = () =>
  class implements USBInTransferResult {
    readonly #status: USBTransferStatus;
    readonly #data: DataView | undefined;

    constructor(status: USBTransferStatus, data?: DataView) {
      this.#status = toStatus(status);
      this.#data = toData(data);
    }

    get data() {
      return this.#data;
    }

    get status() {
      return this.#status;
    }
  };

const outClass = () =>
  class implements USBOutTransferResult {
    readonly #status: USBTransferStatus;
    readonly #bytesWritten: number;

    constructor(status: USBTransferStatus, bytesWritten?: number) {
      this.#status = toStatus(status);
      this.#bytesWritten = toCount(bytesWritten);
    }

    get bytesWritten() {
      return this.#bytesWritten;
    }

    get status() {
      return this.#status;
    }
  };

export const InTransferResult = inClass();
export const OutTransferResult = outClass();
export const IsochronousInTransferPacket = inClass();
export const IsochronousOutTransferPacket = outClass();

export class IsochronousInTransferResult implements USBIsochronousInTransferResult {
  readonly #packets: USBIsochronousInTransferPacket[];
  readonly #data: DataView | undefined;

  constructor(packets: USBIsochronousInTransferPacket[], data?: DataView) {
    this.#packets = toPackets(packets, IsochronousInTransferPacket);
    this.#data = toData(data);
  }

  get data() {
    return this.#data;
  }

  get packets() {
    return this.#packets;
  }
}

export class IsochronousOutTransferResult implements USBIsochronousOutTransferResult {
  readonly #packets: USBIsochronousOutTransferPacket[];

  constructor(packets: USBIsochronousOutTransferPacket[]) {
    this.#packets = toPackets(packets, IsochronousOutTransferPacket);
  }

  get packets() {
    return this.#packets;
  }
}
