/** `navigator.serial` (https://wicg.github.io/serial/). There is no chooser: `requestPort` takes what is allowed. */
import type { PageSerialPort } from '../../src/resources/peripherals/page-protocol.ts';
import type { Bridge } from './bridge.ts';
import { apply, defineProperty, dispatch, domException, found, NativeEvent, typeError } from './builtins.ts';
import { createRegistry, type Registry } from './registry.ts';
import { deliverBytes, deliverError, losePort, Port, portInfoOf } from './serial-port.ts';
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
  sequence,
  startOnListen,
} from './webidl.ts';

interface Filter {
  usbVendorId: number | undefined;
  usbProductId: number | undefined;
  isBluetooth: boolean;
}

/** @throws TypeError if the filter is not valid */
function toFilter(value: unknown): Filter {
  const read = dictionary(value, 'The filter');
  const isBluetooth = read('bluetoothServiceClassId') !== undefined;
  const usbProductId = optional(read('usbProductId'), (id) => integer(id, 16));
  const usbVendorId = optional(read('usbVendorId'), (id) => integer(id, 16));
  if (isBluetooth && (usbVendorId !== undefined || usbProductId !== undefined))
    throw typeError('A filter cannot specify both bluetoothServiceClassId and usbVendorId or usbProductId.');
  const filter = { usbVendorId, usbProductId, isBluetooth };
  checkNeeds(filter, 'usbProductId', 'usbVendorId');
  if (!isBluetooth && usbVendorId === undefined)
    throw typeError('A filter must provide a property to filter by.');
  return filter;
}

/** The device has no serial ports over Bluetooth. */
const matches = ({ usbVendorId, usbProductId, isBluetooth }: Filter, info: PageSerialPort): boolean =>
  !isBluetooth &&
  usbVendorId === info.usbVendorId &&
  (usbProductId === undefined || usbProductId === info.usbProductId);

class SerialPorts extends eventTarget<Serial>() implements Serial {
  readonly #registry: Registry<Port>;
  readonly #onconnect = new Handler<Serial, Event>(this, 'connect');
  readonly #ondisconnect = new Handler<Serial, Event>(this, 'disconnect');

  constructor(key: typeof KEY, registry: Registry<Port>) {
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

  async getPorts(): Promise<SerialPort[]> {
    return await this.#registry.list();
  }

  /** The first allowed port that matches a filter. @throws NotFoundError if there is none */
  async requestPort(options: SerialPortRequestOptions = {}): Promise<SerialPort> {
    const registry = this.#registry;
    const read = dictionary(options, 'The options');
    const filters = optional(read('filters'), (list) => sequence(list, toFilter, 'filters')) ?? [];
    const port = found(await registry.list(), (candidate) => {
      const info = portInfoOf(candidate);
      return filters.length === 0 || found(filters, (filter) => matches(filter, info)) !== undefined;
    });
    if (!port) throw domException('NotFoundError', 'No port is allowed and plugged in that matches.');
    return port;
  }
}

const STOPS = ['stopPropagation', 'stopImmediatePropagation'] as const;
const stop = [NativeEvent.prototype.stopPropagation, NativeEvent.prototype.stopImmediatePropagation] as const;

/** Dispatches an event at a port and then at `parent`, as if it bubbled: event targets of scripts have no parents. */
function dispatchBubbling(port: EventTarget, parent: EventTarget, type: string): void {
  const event = new NativeEvent(type, { bubbles: true });
  let isStopped = false;
  for (let at = 0; at < 2; at += 1) {
    const value = (): void => {
      isStopped = true;
      apply(stop[at] ?? stop[0], event, []);
    };
    defineProperty(event, STOPS[at] ?? '', { configurable: true, value });
  }
  dispatch(port, event);
  if (isStopped) return;
  const bubbled = new NativeEvent(type, { bubbles: true });
  defineProperty(bubbled, 'target', { configurable: true, get: () => port });
  defineProperty(bubbled, 'srcElement', { configurable: true, get: () => port });
  dispatch(parent, bubbled);
}

export function installSerial(bridge: Bridge): void {
  const registry = createRegistry(bridge, 'serial', {
    create: (info, link) => new Port(KEY, link, info),
    onClosed: (port, reason) => losePort(port, reason, true),
    onConnect: (port) => dispatchBubbling(port, serial, 'connect'),
    onDisconnect: (port) => {
      losePort(port, 'The device has been lost.', false);
      dispatchBubbling(port, serial, 'disconnect');
    },
  });
  const serial = new SerialPorts(KEY, registry);
  bridge.on('serial.data', ({ device, data }) => {
    const port = registry.find(device);
    if (port) deliverBytes(port, data);
  });
  bridge.on('serial.error', ({ device, name }) => {
    const port = registry.find(device);
    if (port) deliverError(port, name);
  });
  startOnListen(serial, () => registry.watch());
  expose(SerialPorts, 'Serial');
  expose(Port, 'SerialPort');
  exposeOnNavigator('serial', serial);
}
