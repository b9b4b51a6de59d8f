/** A device of WebUSB. */
import type { PageUsbDevice } from '../../src/resources/peripherals/page-protocol.ts';
import { domException, found, freeze, fromBase64, mapped, toBase64, View } from './builtins.ts';
import type { Link } from './registry.ts';
import { Configuration } from './usb-descriptors.ts';
import { InTransferResult, OutTransferResult } from './usb-results.ts';
import { readSessionsBy, UsbSession } from './usb-session.ts';
import { checkLength, Transfers } from './usb-transfers.ts';
import {
  bytesOf,
  checkKey,
  dictionary,
  enumeration,
  integer,
  isObject,
  type KEY,
  required,
  sequence,
} from './webidl.ts';

/** Functions for the other files, which see the private fields. */
export let isUsbDevice: (value: unknown) => value is UsbDevice;

/** @throws TypeError */
function toSetup(value: unknown) {
  const read = dictionary(value, 'The setup');
  const member = (name: string): unknown => required(read(name), name);
  return {
    index: integer(member('index'), 16),
    recipient: enumeration(member('recipient'), ['device', 'interface', 'endpoint', 'other'], 'recipient'),
    request: integer(member('request'), 8),
    requestType: enumeration(member('requestType'), ['standard', 'class', 'vendor'], 'requestType'),
    value: integer(member('value'), 16),
  };
}

export class UsbDevice implements USBDevice {
  readonly #link: Link;
  readonly #info: PageUsbDevice;
  readonly #session: UsbSession;
  readonly #transfers: Transfers;
  readonly #configurations: USBConfiguration[];
  static {
    isUsbDevice = (value): value is UsbDevice => isObject(value) && #session in value;
    readSessionsBy((device) => (isUsbDevice(device) ? device.#session : undefined));
  }

  constructor(key: typeof KEY, link: Link, info: PageUsbDevice) {
    checkKey(key);
    this.#link = link;
    this.#info = info;
    this.#session = new UsbSession(info);
    this.#transfers = new Transfers(link.call);
    this.#configurations = mapped(info.configurations, ({ value }) => new Configuration(this, value));
    freeze(this.#configurations);
  }

  get usbVersionMajor() {
    return this.#info.usbVersion >> 8;
  }

  get usbVersionMinor() {
    return (this.#info.usbVersion >> 4) & 15;
  }

  get usbVersionSubminor() {
    return this.#info.usbVersion & 15;
  }

  get deviceClass() {
    return this.#info.classCode;
  }

  get deviceSubclass() {
    return this.#info.subclass;
  }

  get deviceProtocol() {
    return this.#info.protocol;
  }

  get vendorId() {
    return this.#info.vendorId;
  }

  get productId() {
    return this.#info.productId;
  }

  get deviceVersionMajor() {
    return this.#info.deviceVersion >> 8;
  }

  get deviceVersionMinor() {
    return (this.#info.deviceVersion >> 4) & 15;
  }

  get deviceVersionSubminor() {
    return this.#info.deviceVersion & 15;
  }

  get manufacturerName() {
    return this.#info.manufacturerName;
  }

  get productName() {
    return this.#info.productName;
  }

  get serialNumber() {
    return this.#info.serialNumber;
  }

  get configuration() {
    return (
      found(this.#configurations, (entry) => entry.configurationValue === this.#session.configuration) ?? null
    );
  }

  get configurations() {
    return this.#configurations;
  }

  get opened() {
    return this.#session.isOpened;
  }

  async open() {
    this.#session.checkNoChange();
    if (this.#session.isOpened) return;
    await this.#session.changeDevice(
      () => this.#link.call('usb.open'),
      () => {
        this.#session.isOpened = true;
      },
    );
  }

  async close() {
    this.#session.checkNoChange();
    if (!this.#session.isOpened) return;
    await this.#session.changeDevice(
      () => this.#link.call('usb.close'),
      () => this.#session.setClosed(),
    );
  }

  async forget() {
    await this.#link.forget();
    this.#session.lose(false);
  }

  async selectConfiguration(configurationValue: number) {
    const value = integer(configurationValue, 8);
    this.#session.checkOpened();
    if (!found(this.#info.configurations, (entry) => entry.value === value))
      throw domException('NotFoundError', 'The configuration value provided is not supported by the device.');
    if (value === this.#session.configuration) return;
    await this.#session.changeDevice(
      () => this.#link.call('usb.select_configuration', { value }),
      () => {
        this.#session.setConfiguration(value);
      },
    );
  }

  async claimInterface(interfaceNumber: number) {
    const number = this.#session.checkInterface(integer(interfaceNumber, 8));
    if (this.#session.isClaimed(number)) return;
    await this.#session.changeInterface(
      number,
      () => this.#link.call('usb.claim_interface', { interface: number }),
      () => {
        this.#session.setClaimed(number, 0);
      },
    );
  }

  async releaseInterface(interfaceNumber: number) {
    const number = this.#session.checkInterface(integer(interfaceNumber, 8));
    if (!this.#session.isClaimed(number)) return;
    await this.#session.changeInterface(
      number,
      () => this.#link.call('usb.release_interface', { interface: number }),
      () => {
        this.#session.setReleased(number);
      },
    );
  }

  async selectAlternateInterface(interfaceNumber: number, alternateSetting: number) {
    const number = this.#session.checkClaimed(integer(interfaceNumber, 8));
    const alternate = integer(alternateSetting, 8);
    if (!this.#session.alternate(number, alternate))
      throw domException('NotFoundError', 'The alternate setting provided is not supported by the device.');
    await this.#session.changeInterface(
      number,
      () => this.#link.call('usb.select_alternate', { interface: number, alternate }),
      () => {
        this.#session.setClaimed(number, alternate);
      },
    );
  }

  async controlTransferIn(setup: USBControlTransferParameters, length: number) {
    const parameters = toSetup(setup);
    const count = integer(length, 16);
    this.#session.checkOpened();
    this.#session.checkRecipient(parameters);
    const { status, data } = await this.#link.call('usb.control_in', {
      setup: parameters,
      length: count,
    });
    return new InTransferResult(status, new View(fromBase64(data).buffer));
  }

  async controlTransferOut(setup: USBControlTransferParameters, data: BufferSource | undefined = undefined) {
    const parameters = toSetup(setup);
    const bytes = data === undefined ? undefined : bytesOf(data);
    this.#session.checkOpened();
    this.#session.checkRecipient(parameters);
    // The length of a control transfer has 16 bits.
    if (bytes && bytes.length > 0xffff) throw domException('DataError', 'The data is too long.');
    const result = await this.#link.call('usb.control_out', {
      setup: parameters,
      data: bytes ? toBase64(bytes) : '',
    });
    return new OutTransferResult(result.status, result.bytes_written);
  }

  async clearHalt(direction: USBDirection, endpointNumber: number) {
    const side = enumeration(direction, ['in', 'out'], 'direction');
    const endpoint = this.#session.checkEndpoint(side, integer(endpointNumber, 8));
    await this.#link.call('usb.clear_halt', { direction: side, endpoint });
  }

  async transferIn(endpointNumber: number, length: number) {
    const number = integer(endpointNumber, 8);
    const count = integer(length, 32);
    checkLength(count);
    const { status, data } = await this.#transfers.read(this.#session.checkEndpoint('in', number), count);
    return new InTransferResult(status, new View(data.buffer));
  }

  async transferOut(endpointNumber: number, data: BufferSource) {
    const number = integer(endpointNumber, 8);
    const bytes = bytesOf(data);
    const endpoint = this.#session.checkEndpoint('out', number);
    checkLength(bytes.length);
    const { status, written } = await this.#transfers.write(endpoint, bytes);
    return new OutTransferResult(status, written);
  }

  async isochronousTransferIn(
    endpointNumber: number,
    packetLengths: number[],
  ): Promise<USBIsochronousInTransferResult> {
    sequence(packetLengths, (length) => integer(length, 32), 'packetLengths');
    this.#session.checkEndpoint('in', integer(endpointNumber, 8));
    throw noIsochronous();
  }

  async isochronousTransferOut(
    endpointNumber: number,
    data: BufferSource,
    packetLengths: number[],
  ): Promise<USBIsochronousOutTransferResult> {
    bytesOf(data);
    sequence(packetLengths, (length) => integer(length, 32), 'packetLengths');
    this.#session.checkEndpoint('out', integer(endpointNumber, 8));
    throw noIsochronous();
  }

  async reset() {
    this.#session.checkOpened();
    await this.#link.call('usb.reset');
  }
}

const noIsochronous = (): DOMException =>
  domException('NotSupportedError', 'The device does no isochronous transfers.');
