/** What a page has done with a USB device: what is open, configured, claimed, and in progress. */
import type { PageUsbDevice } from '../../src/resources/peripherals/page-protocol.ts';
import type * as Descriptors from '../../src/resources/peripherals/usb-descriptors.ts';
import { domException, found, type NumberMap, numberMap, numbersOf, typeError } from './builtins.ts';

export class UsbSession {
  readonly info: PageUsbDevice;
  /** Value of the active configuration. */
  configuration: number | null;
  isOpened = false;
  /** Selected alternate settings of the claimed interfaces, by the interface's number. */
  #claimed: NumberMap<number> = numberMap();
  /** Interfaces of which a claim or a setting is in progress. */
  readonly #changing: NumberMap<true> = numberMap();
  #isChanging = false;
  #isUnplugged = false;
  /** Rises when the agent's end is closed, so that an answer from before counts no more. */
  #epoch = 0;

  constructor(info: PageUsbDevice) {
    this.info = info;
    this.configuration = info.configuration;
  }

  /** Setting of the alternate interface that is selected; undefined for an interface that is not claimed. */
  claimed(configuration: number, interfaceNumber: number): number | undefined {
    return configuration === this.configuration ? this.#claimed[interfaceNumber] : undefined;
  }

  /** Whether an interface of the active configuration is claimed. */
  isClaimed(interfaceNumber: number): boolean {
    return this.#claimed[interfaceNumber] !== undefined;
  }

  /** The agent's end is closed. @param isUnplugged the device is gone for good */
  lose(isUnplugged: boolean): void {
    this.#epoch += 1;
    this.#isUnplugged ||= isUnplugged;
    this.setClosed();
  }

  setClosed(): void {
    this.isOpened = false;
    this.#claimed = numberMap();
  }

  setConfiguration(value: number): void {
    this.configuration = value;
    this.#claimed = numberMap();
  }

  setClaimed(interfaceNumber: number, alternate: number): void {
    this.#claimed[interfaceNumber] = alternate;
  }

  setReleased(interfaceNumber: number): void {
    delete this.#claimed[interfaceNumber];
  }

  /** Does a call that changes the device, and `apply` after it. */
  async changeDevice(call: () => Promise<unknown>, apply: () => void): Promise<void> {
    const epoch = this.#epoch;
    this.#isChanging = true;
    try {
      await call();
    } finally {
      this.#isChanging = false;
    }
    this.#checkEpoch(epoch);
    apply();
  }

  /** Does a call that changes an interface, and `apply` after it. Meanwhile its endpoints cannot be used. */
  async changeInterface(number: number, call: () => Promise<unknown>, apply: () => void): Promise<void> {
    const epoch = this.#epoch;
    this.#changing[number] = true;
    try {
      await call();
    } finally {
      delete this.#changing[number];
    }
    this.#checkEpoch(epoch);
    apply();
  }

  /** @throws NotFoundError, InvalidStateError */
  checkNoChange(): void {
    this.#checkNoDeviceChange();
    if (numbersOf(this.#changing).length > 0) throw interfaceChanges();
  }

  /** @throws NotFoundError, InvalidStateError */
  checkOpened(): void {
    this.checkNoChange();
    this.#checkIsOpened();
  }

  /** @throws NotFoundError, InvalidStateError */
  checkInterface(number: number): number {
    this.#checkConfigured();
    if (!this.#interface(number))
      throw domException('NotFoundError', 'The active configuration does not have this interface.');
    if (this.#changing[number]) throw interfaceChanges();
    return number;
  }

  /** @throws NotFoundError, InvalidStateError */
  checkClaimed(number: number): number {
    this.checkInterface(number);
    if (this.#claimed[number] === undefined)
      throw domException('InvalidStateError', 'The specified interface has not been claimed.');
    return number;
  }

  /** That the interface or endpoint that a control transfer is for can be used. @throws as the other checks */
  checkRecipient({ recipient, index }: { recipient: string; index: number }): void {
    if (recipient === 'interface') this.checkClaimed(index & 0xff);
    if (recipient === 'endpoint') this.checkEndpoint(index & 0x80 ? 'in' : 'out', index & 15);
  }

  /** @throws IndexSizeError, NotFoundError, InvalidStateError */
  checkEndpoint(direction: 'in' | 'out', number: number): number {
    this.#checkConfigured();
    if (number < 1 || number > 15)
      throw domException('IndexSizeError', 'The specified endpoint number is out of range.');
    const owner = found(numbersOf(this.#claimed), (claimed) => {
      if (this.#changing[claimed]) return false;
      const endpoints = this.alternate(claimed, this.#claimed[claimed] ?? 0)?.endpoints ?? [];
      return (
        found(endpoints, (entry) => entry.number === number && entry.direction === direction) !== undefined
      );
    });
    if (owner === undefined) {
      throw domException(
        'NotFoundError',
        'The specified endpoint is not part of a claimed and selected alternate interface.',
      );
    }
    return number;
  }

  /** An alternate setting of the active configuration. */
  alternate(number: number, setting: number): Descriptors.UsbAlternate | undefined {
    return found(this.#interface(number)?.alternates ?? [], (entry) => entry.setting === setting);
  }

  #interface(number: number): Descriptors.UsbInterface | undefined {
    const active = found(this.info.configurations, ({ value }) => value === this.configuration);
    return found(active?.interfaces ?? [], (entry) => entry.number === number);
  }

  #checkNoDeviceChange(): void {
    if (this.#isUnplugged) throw disconnected();
    if (this.#isChanging)
      throw domException('InvalidStateError', 'An operation that changes the device state is in progress.');
  }

  #checkIsOpened(): void {
    if (!this.isOpened) throw domException('InvalidStateError', 'The device must be opened first.');
  }

  #checkConfigured(): void {
    this.#checkNoDeviceChange();
    this.#checkIsOpened();
    if (this.configuration === null)
      throw domException('InvalidStateError', 'The device must have a configuration selected.');
  }

  #checkEpoch(epoch: number): void {
    if (this.#epoch !== epoch) throw disconnected();
  }
}

const disconnected = (): DOMException => domException('NotFoundError', 'The device was disconnected.');
const interfaceChanges = (): DOMException =>
  domException('InvalidStateError', 'An operation that changes interface state is in progress.');

let readSession: (device: unknown) => UsbSession | undefined = () => undefined;

/** Says how the session of a device is read, which only the class of devices can. */
export function readSessionsBy(read: (device: unknown) => UsbSession | undefined): void {
  readSession = read;
}

/** @throws TypeError for an object that is no device */
export function sessionOf(device: unknown): UsbSession {
  const session = readSession(device);
  if (!session) throw typeError('The argument is not a USBDevice.');
  return session;
}
