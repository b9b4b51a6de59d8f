/** `navigator.hid` (https://wicg.github.io/webhid/). There is no chooser: `requestDevice` takes what is allowed. */
import type { HidCollection } from '../../src/resources/peripherals/hid-collections.ts';
import type { PageHidDevice } from '../../src/resources/peripherals/page-protocol.ts';
import type { Bridge } from './bridge.ts';
import { dispatch, found, typeError } from './builtins.ts';
import { connectionEventClass } from './connection-event.ts';
import {
  closeHidDevice,
  deliverReport,
  HidDevice,
  HidInputReportEvent,
  infoOf,
  isHidDevice,
} from './hid-device.ts';
import { createRegistry, type Registry } from './registry.ts';
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
  vendorId: number | undefined;
  productId: number | undefined;
  usagePage: number | undefined;
  usage: number | undefined;
}

/** @throws TypeError if the filter is not valid */
function toFilter(value: unknown): Filter {
  const read = dictionary(value, 'The filter');
  const filter = {
    productId: optional(read('productId'), (id) => integer(id, 16)),
    usage: optional(read('usage'), (usage) => integer(usage, 16)),
    usagePage: optional(read('usagePage'), (page) => integer(page, 16)),
    vendorId: optional(read('vendorId'), (id) => integer(id, 32)),
  };
  checkNeeds(filter, 'productId', 'vendorId');
  checkNeeds(filter, 'usage', 'usagePage');
  if (filter.vendorId === undefined && filter.usagePage === undefined)
    throw typeError('A filter must provide a property to filter by.');
  return filter;
}

function matches(filter: Filter, info: PageHidDevice): boolean {
  const { vendorId, productId, usagePage, usage } = filter;
  if (vendorId !== undefined && vendorId !== info.vendorId) return false;
  if (productId !== undefined && productId !== info.productId) return false;
  if (usagePage === undefined) return true;
  const has = (collection: HidCollection): boolean =>
    collection.usagePage === usagePage && (usage === undefined || collection.usage === usage);
  return found(info.collections, has) !== undefined;
}

const matchesAny = (filters: readonly Filter[], info: PageHidDevice): boolean =>
  found(filters, (filter) => matches(filter, info)) !== undefined;

class Hid extends eventTarget<HID>() implements HID {
  readonly #registry: Registry<HidDevice>;
  readonly #onconnect = new Handler<HID, Event>(this, 'connect');
  readonly #ondisconnect = new Handler<HID, Event>(this, 'disconnect');

  constructor(key: typeof KEY, registry: Registry<HidDevice>) {
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

  async getDevices(): Promise<HIDDevice[]> {
    return await this.#registry.list();
  }

  /** The first allowed device that matches a filter, or none. */
  async requestDevice(options: unknown): Promise<HIDDevice[]> {
    const registry = this.#registry;
    const read = dictionary(options, 'The options');
    const excluded = optional(read('exclusionFilters'), (list) =>
      sequence(list, toFilter, 'exclusionFilters'),
    );
    const filters = sequence(read('filters'), toFilter, 'filters');
    if (excluded?.length === 0)
      throw typeError("'exclusionFilters', if present, must contain at least one filter.");
    const device = found(await registry.list(), (candidate) => {
      const info = infoOf(candidate);
      return (filters.length === 0 || matchesAny(filters, info)) && !matchesAny(excluded ?? [], info);
    });
    return device ? [device] : [];
  }
}

const HidConnectionEvent = connectionEventClass(isHidDevice, 'HIDDevice');

export function installHid(bridge: Bridge): void {
  const registry = createRegistry(bridge, 'hid', {
    create: (info, link) => new HidDevice(KEY, link, info),
    onClosed: closeHidDevice,
    onConnect: (device) => dispatch(hid, new HidConnectionEvent('connect', { device })),
    onDisconnect: (device) => dispatch(hid, new HidConnectionEvent('disconnect', { device })),
  });
  const hid = new Hid(KEY, registry);
  bridge.on('hid.input', ({ device, report_id, data }) => {
    const opened = registry.find(device);
    if (opened) deliverReport(opened, report_id, data);
  });
  startOnListen(hid, () => registry.watch());
  expose(Hid, 'HID');
  expose(HidDevice, 'HIDDevice');
  expose(HidConnectionEvent, 'HIDConnectionEvent', 2);
  expose(HidInputReportEvent, 'HIDInputReportEvent', 2);
  exposeOnNavigator('hid', hid);
}
