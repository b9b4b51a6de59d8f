/** What WebUSB shows of a device's descriptors, and of which interfaces are claimed. */
import type * as Descriptors from '../../src/resources/peripherals/usb-descriptors.ts';
import { domException, found, freeze, mapped, rangeError, typeError } from './builtins.ts';
import { sessionOf, type UsbSession } from './usb-session.ts';
import { enumeration, integer, isObject } from './webidl.ts';

let configurationOf: (value: unknown) => { session: UsbSession; data: Descriptors.UsbConfiguration };
let interfaceOf: (value: unknown) => Descriptors.UsbInterface;
let alternateOf: (value: unknown) => Descriptors.UsbAlternate;

export class Configuration implements USBConfiguration {
  readonly #session: UsbSession;
  readonly #data: Descriptors.UsbConfiguration;
  readonly #interfaces: USBInterface[];

  static {
    configurationOf = (value) => {
      if (!isObject(value) || !(#data in value)) throw typeError('The argument is not a USBConfiguration.');
      return { session: value.#session, data: value.#data };
    };
  }

  constructor(device: USBDevice, configurationValue: number) {
    this.#session = sessionOf(device);
    const value = integer(configurationValue, 8);
    const data = found(this.#session.info.configurations, (entry) => entry.value === value);
    if (!data) throw rangeError('Invalid configuration value.');
    this.#data = data;
    this.#interfaces = mapped(data.interfaces, (entry) => new Interface(this, entry.number));
    freeze(this.#interfaces);
  }

  get configurationValue() {
    return this.#data.value;
  }

  get configurationName() {
    return this.#data.name;
  }

  get interfaces() {
    return this.#interfaces;
  }
}

export class Interface implements USBInterface {
  readonly #session: UsbSession;
  readonly #configuration: number;
  readonly #data: Descriptors.UsbInterface;
  readonly #alternates: USBAlternateInterface[];

  static {
    interfaceOf = (value) => {
      if (!isObject(value) || !(#data in value)) throw typeError('The argument is not a USBInterface.');
      return value.#data;
    };
  }

  constructor(configuration: USBConfiguration, interfaceNumber: number) {
    const { session, data: parent } = configurationOf(configuration);
    const number = integer(interfaceNumber, 8);
    const data = found(parent.interfaces, (entry) => entry.number === number);
    if (!data) throw rangeError('Invalid interface index.');
    this.#session = session;
    this.#configuration = parent.value;
    this.#data = data;
    this.#alternates = mapped(data.alternates, (entry) => new AlternateInterface(this, entry.setting));
    freeze(this.#alternates);
  }

  get interfaceNumber() {
    return this.#data.number;
  }

  /** The selected one, or the first one if the interface is not claimed. */
  get alternate() {
    const setting = this.#session.claimed(this.#configuration, this.#data.number);
    const alternate =
      found(this.#alternates, (entry) => entry.alternateSetting === setting) ?? this.#alternates[0];
    // Every interface descriptor is one alternate setting.
    if (!alternate) throw domException('NotFoundError', 'The interface has no alternate setting.');
    return alternate;
  }

  get alternates() {
    return this.#alternates;
  }

  get claimed() {
    return this.#session.claimed(this.#configuration, this.#data.number) !== undefined;
  }
}

export class AlternateInterface implements USBAlternateInterface {
  readonly #data: Descriptors.UsbAlternate;
  readonly #endpoints: USBEndpoint[];

  static {
    alternateOf = (value) => {
      if (!isObject(value) || !(#data in value))
        throw typeError('The argument is not a USBAlternateInterface.');
      return value.#data;
    };
  }

  constructor(deviceInterface: USBInterface, alternateSetting: number) {
    const setting = integer(alternateSetting, 8);
    const data = found(interfaceOf(deviceInterface).alternates, (entry) => entry.setting === setting);
    if (!data) throw rangeError('Invalid alternate setting.');
    this.#data = data;
    // WebUSB has no endpoints for control transfers but number 0, which is not a descriptor's.
    const shown: USBEndpoint[] = [];
    mapped(data.endpoints, ({ type, number, direction }) => {
      if (type !== 'control') shown[shown.length] = new Endpoint(this, number, direction);
    });
    this.#endpoints = shown;
    freeze(this.#endpoints);
  }

  get alternateSetting() {
    return this.#data.setting;
  }

  get interfaceClass() {
    return this.#data.classCode;
  }

  get interfaceSubclass() {
    return this.#data.subclass;
  }

  get interfaceProtocol() {
    return this.#data.protocol;
  }

  get interfaceName() {
    return this.#data.name;
  }

  get endpoints() {
    return this.#endpoints;
  }
}

export class Endpoint implements USBEndpoint {
  readonly #number: number;
  readonly #direction: USBDirection;
  readonly #type: USBEndpointType;
  readonly #packetSize: number;

  constructor(alternate: USBAlternateInterface, endpointNumber: number, direction: USBDirection) {
    const { endpoints } = alternateOf(alternate);
    const number = integer(endpointNumber, 8);
    const wanted = enumeration(direction, ['in', 'out'], 'direction');
    const data = found(endpoints, (entry) => entry.number === number && entry.direction === wanted);
    if (!data || data.type === 'control')
      throw rangeError('No such endpoint exists in the given alternate interface.');
    this.#number = number;
    this.#direction = wanted;
    this.#type = data.type;
    this.#packetSize = data.packetSize;
  }

  get endpointNumber() {
    return this.#number;
  }

  get direction() {
    return this.#direction;
  }

  get type() {
    return this.#type;
  }

  get packetSize() {
    return this.#packetSize;
  }
}
