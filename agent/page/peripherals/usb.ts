/** `navigator.usb` (https://wicg.github.io/webusb/). There is no chooser: `requestDevice` takes what is allowed. */
import type { PageUsbDevice } from '../../src/resources/peripherals/page-protocol.ts';
import type { Bridge } from './bridge.ts';
import { dispatch, domException, found, toText } from './builtins.ts';
import { connectionEventClass } from './connection-event.ts';
import { createRegistry, type Registry } from './registry.ts';
import { AlternateInterface, Configuration, Endpoint, Interface } from './usb-descriptors.ts';
import { isUsbDevice, UsbDevice } from './usb-device.ts';
import * as Results from './usb-results.ts';
import { sessionOf } from './usb-session.ts';
import {
  checkKey,
  checkNeeds,
  dictionary,
  eventTarget,
  expose,
  exposeOnNavigator,
  Handler,
  integer,
  KEY,
  optional,
  required,
  sequence,
  startOnListen,
} from './webidl.ts';

interface Codes {
  classCode: number;
  subclass: number;
  protocol: number;
}

/** @throws TypeError if the filter is not valid */
function toFilter(value: unknown) {
  const read = dictionary(value, 'The filter');
  const number = (member: string, bits: number): number | undefined =>
    optional(read(member), (given) => integer(given, bits));
  const filter = {
    classCode: number('classCode', 8),
    productId: number('productId', 16),
    protocolCode: number('protocolCode', 8),
    serialNumber: optional(read('serialNumber'), toText),
    subclassCode: number('subclassCode', 8),
    vendorId: number('vendorId', 16),
  };
  checkNeeds(filter, 'productId', 'vendorId');
  checkNeeds(filter, 'subclassCode', 'classCode');
  checkNeeds(filter, 'protocolCode', 'subclassCode');
  return filter;
}

type Filter = ReturnType<typeof toFilter>;

const isOr = <T>(wanted: T | undefined, value: T): boolean => wanted === undefined || wanted === value;

/** The codes are those of the device, or of any of its interfaces. */
function matches(filter: Filter, info: PageUsbDevice): boolean {
  if (!isOr(filter.vendorId, info.vendorId) || !isOr(filter.productId, info.productId)) return false;
  if (filter.serialNumber !== undefined && filter.serialNumber !== info.serialNumber) return false;
  if (filter.classCode === undefined) return true;
  const hasCodes = ({ classCode, subclass, protocol }: Codes): boolean =>
    filter.classCode === classCode &&
    isOr(filter.subclassCode, subclass) &&
    isOr(filter.protocolCode, protocol);
  return (
    hasCodes(info) ||
    found(
      info.configurations,
      ({ interfaces }) =>
        found(interfaces, ({ alternates }) => found(alternates, hasCodes) !== undefined) !== undefined,
    ) !== undefined
  );
}

const matchesAny = (filters: readonly Filter[], info: PageUsbDevice): boolean =>
  found(filters, (filter) => matches(filter, info)) !== undefined;

class Usb extends eventTarget<USB>() implements USB {
  readonly #registry: Registry<UsbDevice>;
  readonly #onconnect = new Handler<USB, USBConnectionEvent>(this, 'connect');
  readonly #ondisconnect = new Handler<USB, USBConnectionEvent>(this, 'disconnect');

  constructor(key: typeof KEY, registry: Registry<UsbDevice>) {
    super();
    checkKey(key);
    this.#registry = registry;
  }

  get onconnect() {
    return this.#onconnect.value;
  }
  set onconnect(handler) {
    this.#onconnect.value = handler;
    this.#registry.watch();
  }

  get ondisconnect() {
    return this.#ondisconnect.value;
  }
  set ondisconnect(handler) {
    this.#ondisconnect.value = handler;
    this.#registry.watch();
  }

  async getDevices(): Promise<USBDevice[]> {
    return await this.#registry.list();
  }

  /** The first allowed device that matches a filter. @throws NotFoundError if there is none */
  async requestDevice(options: unknown): Promise<USBDevice> {
    const registry = this.#registry;
    const read = dictionary(options, 'The options');
    const excluded = optional(read('exclusionFilters'), (list) =>
      sequence(list, toFilter, 'exclusionFilters'),
    );
    const filters = sequence(required(read('filters'), 'filters'), toFilter, 'filters');
    const device = found(await registry.list(), (candidate) => {
      const { info } = sessionOf(candidate);
      return (filters.length === 0 || matchesAny(filters, info)) && !matchesAny(excluded ?? [], info);
    });
    if (!device) throw domException('NotFoundError', 'No device is allowed and plugged in that matches.');
    return device;
  }
}

const UsbConnectionEvent = connectionEventClass(isUsbDevice, 'USBDevice');

export function installUsb(bridge: Bridge): void {
  const registry = createRegistry(bridge, 'usb', {
    create: (info, link) => new UsbDevice(KEY, link, info),
    onClosed: (device) => sessionOf(device).lose(false),
    onConnect: (device) => dispatch(usb, new UsbConnectionEvent('connect', { device })),
    onDisconnect: (device) => {
      sessionOf(device).lose(true);
      dispatch(usb, new UsbConnectionEvent('disconnect', { device }));
    },
  });
  const usb = new Usb(KEY, registry);
  startOnListen(usb, () => registry.watch());
  expose(Usb, 'USB');
  expose(UsbDevice, 'USBDevice');
  expose(UsbConnectionEvent, 'USBConnectionEvent', 2);
  expose(Configuration, 'USBConfiguration', 2);
  expose(Interface, 'USBInterface', 2);
  expose(AlternateInterface, 'USBAlternateInterface', 2);
  expose(Endpoint, 'USBEndpoint', 3);
  expose(Results.InTransferResult, 'USBInTransferResult', 1);
  expose(Results.OutTransferResult, 'USBOutTransferResult', 1);
  expose(Results.IsochronousInTransferPacket, 'USBIsochronousInTransferPacket', 1);
  expose(Results.IsochronousInTransferResult, 'USBIsochronousInTransferResult', 1);
  expose(Results.IsochronousOutTransferPacket, 'USBIsochronousOutTransferPacket', 1);
  expose(Results.IsochronousOutTransferResult, 'USBIsochronousOutTransferResult', 1);
  exposeOnNavigator('usb', usb);
}
