/** A port of Web Serial. */
import type { PageSerialPort } from '../../src/resources/peripherals/page-protocol.ts';
import { domException, fromBase64, typeError } from './builtins.ts';
import type { Link } from './registry.ts';
import { Receiver, receiveError } from './serial-readable.ts';
import { Sender } from './serial-writable.ts';
import {
  checkKey,
  dictionary,
  enforcedInteger,
  enumeration,
  eventTarget,
  Handler,
  type KEY,
  optional,
} from './webidl.ts';

const MAX_BUFFER = 16 * 1024 * 1024;

/** @throws TypeError */
function toOptions(value: unknown) {
  const read = dictionary(value, 'The options');
  const number = (member: string, bits: number, otherwise: number): number =>
    optional(read(member), (given) => enforcedInteger(given, bits, member)) ?? otherwise;
  const baudRate = enforcedInteger(read('baudRate'), 32, 'baudRate');
  const bufferSize = number('bufferSize', 32, 255);
  const dataBits = number('dataBits', 8, 8);
  const flowControl = enumeration(read('flowControl') ?? 'none', ['none', 'hardware'], 'flowControl');
  const parity = enumeration(read('parity') ?? 'none', ['none', 'even', 'odd'], 'parity');
  const stopBits = number('stopBits', 8, 1);
  if (baudRate === 0) throw typeError('Requested baud rate must be greater than zero.');
  if (dataBits !== 7 && dataBits !== 8) throw typeError('Requested number of data bits must be 7 or 8.');
  if (stopBits !== 1 && stopBits !== 2) throw typeError('Requested number of stop bits must be 1 or 2.');
  if (bufferSize === 0 || bufferSize > MAX_BUFFER)
    throw typeError('Requested buffer size must be from 1 byte to 16 MiB.');
  return { bufferSize, options: { baudRate, dataBits, stopBits, parity, flowControl } } as const;
}

/** What a promise rejects with, or undefined. */
async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Functions for the other files, which see the private fields. */
export let portInfoOf: (port: Port) => PageSerialPort;
/** The agent's end is closed. */
export let losePort: (port: Port, reason: string, isConnected: boolean) => void;
/** @param data base64 */
export let deliverBytes: (port: Port, data: string) => void;
export let deliverError: (port: Port, name: string) => void;

export class Port extends eventTarget<SerialPort>() implements SerialPort {
  readonly #link: Link;
  readonly #info: PageSerialPort;
  readonly #receiver: Receiver;
  readonly #sender: Sender;
  readonly #onconnect = new Handler<SerialPort, Event>(this, 'connect');
  readonly #ondisconnect = new Handler<SerialPort, Event>(this, 'disconnect');
  #state: 'closed' | 'opening' | 'opened' | 'closing' = 'closed';
  /** Rises when the agent's end is closed, so that an answer from before counts no more. */
  #epoch = 0;
  #isConnected = true;

  static {
    portInfoOf = (port) => port.#info;
    losePort = (port, reason, isConnected) => {
      port.#epoch += 1;
      port.#isConnected = isConnected;
      if (port.#state !== 'closed') port.#lose(reason);
    };
    deliverBytes = (port, data) => port.#receiver.receive(fromBase64(data));
    deliverError = (port, name) => port.#receiver.fail(receiveError(name));
  }

  constructor(key: typeof KEY, link: Link, info: PageSerialPort) {
    super();
    checkKey(key);
    const isClosing = () => this.#state === 'closing';
    this.#link = link;
    this.#info = info;
    this.#receiver = new Receiver(link.call, isClosing);
    this.#sender = new Sender(link.call, isClosing);
  }

  get onconnect() {
    return this.#onconnect.value;
  }
  set onconnect(handler) {
    this.#onconnect.value = handler;
  }

  get ondisconnect() {
    return this.#ondisconnect.value;
  }
  set ondisconnect(handler) {
    this.#ondisconnect.value = handler;
  }

  get connected() {
    return this.#isConnected;
  }

  get readable() {
    return this.#state === 'opened' ? this.#receiver.open() : this.#receiver.stream;
  }

  get writable() {
    return this.#state === 'opened' ? this.#sender.open() : this.#sender.stream;
  }

  async open(options: SerialOptions) {
    if (this.#state === 'opening')
      throw domException('InvalidStateError', 'A call to open() is already in progress.');
    if (this.#state !== 'closed') throw domException('InvalidStateError', 'The port is already open.');
    const { options: line, bufferSize } = toOptions(options);
    const epoch = this.#epoch;
    this.#state = 'opening';
    try {
      await this.#link.call('serial.open', { options: line });
      if (this.#epoch !== epoch) throw domException('NetworkError', 'Failed to open serial port.');
    } catch (error) {
      if (this.#epoch === epoch) this.#state = 'closed';
      throw error;
    }
    this.#receiver.start(bufferSize);
    this.#state = 'opened';
  }

  async setSignals(signals: SerialOutputSignals = {}) {
    this.#checkOpen();
    const read = dictionary(signals, 'The signals');
    const flag = (member: string): boolean | undefined => optional(read(member), (given) => !!given);
    const isBreak = flag('break');
    const dataTerminalReady = flag('dataTerminalReady');
    const requestToSend = flag('requestToSend');
    if (isBreak === undefined && dataTerminalReady === undefined && requestToSend === undefined)
      throw typeError('Signals dictionary must contain at least one member.');
    await this.#link.call('serial.set_signals', {
      ...(dataTerminalReady === undefined ? {} : { dataTerminalReady }),
      ...(requestToSend === undefined ? {} : { requestToSend }),
      ...(isBreak === undefined ? {} : { break: isBreak }),
    });
  }

  async getSignals() {
    this.#checkOpen();
    const { dataCarrierDetect, clearToSend, ringIndicator, dataSetReady } =
      await this.#link.call('serial.get_signals');
    return { dataCarrierDetect, clearToSend, ringIndicator, dataSetReady };
  }

  getInfo() {
    const { usbVendorId, usbProductId } = this.#info;
    return {
      ...(usbVendorId === undefined ? {} : { usbVendorId }),
      ...(usbProductId === undefined ? {} : { usbProductId }),
    };
  }

  async close() {
    if (this.#state === 'closing')
      throw domException('InvalidStateError', 'A call to close() is already in progress.');
    if (this.#state !== 'opened') throw domException('InvalidStateError', 'The port is already closed.');
    const epoch = this.#epoch;
    this.#state = 'closing';
    try {
      // Both begin before either has ended. A locked stream rejects, and the port stays open.
      const receiving = errorOf(this.#receiver.end());
      const sending = errorOf(this.#sender.end(domException('InvalidStateError', 'The port is closed.')));
      const error = (await receiving) ?? (await sending);
      if (error !== undefined) throw error;
    } catch (error) {
      if (this.#epoch !== epoch) return;
      this.#state = 'opened';
      throw error;
    }
    try {
      if (this.#epoch === epoch) await this.#link.call('serial.close');
    } catch (error) {
      // A port that is lost meanwhile is closed.
      if (this.#epoch === epoch) throw error;
    } finally {
      if (this.#epoch === epoch) this.#state = 'closed';
    }
  }

  async forget() {
    await this.#link.forget();
    this.#epoch += 1;
    if (this.#state !== 'closed') this.#lose('The port is forgotten.');
  }

  #lose(reason: string) {
    const error = domException('NetworkError', reason);
    this.#state = 'closed';
    this.#receiver.lose(error);
    this.#sender.lose(error);
  }

  #checkOpen() {
    if (this.#state !== 'opened' && this.#state !== 'closing')
      throw domException('InvalidStateError', 'The port is closed.');
  }
}
