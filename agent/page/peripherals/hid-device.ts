/** A device of WebHID, and its collections. */
import type { PageHidDevice } from '../../src/resources/peripherals/page-protocol.ts';
import {
  ByteArray,
  dispatch,
  domException,
  freeze,
  fromBase64,
  parse,
  setBytes,
  stringify,
  toBase64,
  typeError,
  View,
} from './builtins.ts';
import type { Link } from './registry.ts';
import {
  bytesOf,
  checkKey,
  dictionary,
  enforcedInteger,
  eventTarget,
  Handler,
  integer,
  isObject,
  type KEY,
} from './webidl.ts';

/** Functions for the other files, which see the private fields. */
export let isHidDevice: (value: unknown) => value is HidDevice;
export let infoOf: (device: HidDevice) => PageHidDevice;
/** The agent's end is closed. */
export let closeHidDevice: (device: HidDevice) => void;
/** @param data the report without its id, base64 */
export let deliverReport: (device: HidDevice, reportId: number, data: string) => void;

export class HidDevice extends eventTarget<HIDDevice>() implements HIDDevice {
  readonly #link: Link;
  readonly #info: PageHidDevice;
  readonly #collections: HIDCollectionInfo[];
  readonly #oninputreport = new Handler<HIDDevice, HIDInputReportEvent>(this, 'inputreport');
  #state: 'closed' | 'opening' | 'opened' | 'closing' | 'forgotten' = 'closed';
  /** Rises when the agent's end is closed, so that an answer from before counts no more. */
  #epoch = 0;

  static {
    isHidDevice = (value): value is HidDevice => isObject(value) && #info in value;
    infoOf = (device) => device.#info;
    closeHidDevice = (device) => {
      device.#epoch += 1;
      device.#state = 'closed';
    };
    deliverReport = (device, reportId, data) => {
      // The first reports may come with the answer to `open`, or before it.
      if (device.#state === 'opening') device.#state = 'opened';
      if (device.#state === 'opened') dispatch(device, makeReportEvent(device, reportId, fromBase64(data)));
    };
  }

  constructor(key: typeof KEY, link: Link, info: PageHidDevice) {
    super();
    checkKey(key);
    this.#link = link;
    this.#info = info;
    // A copy: a page may change what it gets.
    this.#collections = parse(stringify(info.collections));
    freeze(this.#collections);
  }

  get oninputreport() {
    return this.#oninputreport.value;
  }
  set oninputreport(handler) {
    this.#oninputreport.value = handler;
  }

  get opened() {
    return this.#state === 'opened';
  }

  get vendorId() {
    return this.#info.vendorId;
  }

  get productId() {
    return this.#info.productId;
  }

  get productName() {
    return this.#info.productName;
  }

  get collections() {
    return this.#collections;
  }

  async open() {
    this.#checkUsable();
    if (this.#state === 'opened') throw domException('InvalidStateError', 'The device is already open.');
    await this.#change('hid.open', 'opened');
  }

  async close() {
    this.#checkUsable();
    if (this.#state === 'opened') await this.#change('hid.close', 'closed');
  }

  async forget() {
    if (this.#state === 'forgotten') return;
    this.#checkUsable();
    await this.#link.forget();
    this.#state = 'forgotten';
  }

  async sendReport(reportId: number, data: BufferSource) {
    await this.#send('hid.send_report', reportId, data);
  }

  async sendFeatureReport(reportId: number, data: BufferSource) {
    await this.#send('hid.send_feature_report', reportId, data);
  }

  /** As in Chromium, the result begins with the report's id, if the device's reports have ids. */
  async receiveFeatureReport(reportId: number) {
    const id = enforcedInteger(reportId, 8, 'reportId');
    this.#checkOpened();
    const result = await this.#link.call('hid.receive_feature_report', { report_id: id });
    const data = fromBase64(result.data);
    if (id === 0) return new View(data.buffer);
    const report = new ByteArray(data.length + 1);
    report[0] = id;
    setBytes(report, data, 1);
    return new View(report.buffer);
  }

  async #send(call: 'hid.send_report' | 'hid.send_feature_report', reportId: unknown, data: unknown) {
    const id = enforcedInteger(reportId, 8, 'reportId');
    const bytes = bytesOf(data);
    this.#checkOpened();
    await this.#link.call(call, { report_id: id, data: toBase64(bytes) });
  }

  async #change(call: 'hid.open' | 'hid.close', next: 'opened' | 'closed') {
    const epoch = this.#epoch;
    this.#state = next === 'opened' ? 'opening' : 'closing';
    try {
      await this.#link.call(call);
    } catch (error) {
      if (this.#epoch === epoch) this.#state = 'closed';
      throw error;
    }
    if (this.#epoch === epoch) this.#state = next;
    else if (next === 'opened') throw domException('NotAllowedError', 'Failed to open the device.');
  }

  #checkUsable() {
    if (this.#state === 'opening' || this.#state === 'closing')
      throw domException('InvalidStateError', 'An operation that changes the device state is in progress.');
    if (this.#state === 'forgotten') throw domException('InvalidStateError', 'The device is forgotten.');
  }

  #checkOpened() {
    this.#checkUsable();
    if (this.#state !== 'opened') throw domException('InvalidStateError', 'The device must be opened first.');
  }
}

const makeReportEvent = (device: HIDDevice, reportId: number, bytes: Uint8Array<ArrayBuffer>): Event =>
  new HidInputReportEvent('inputreport', { device, reportId, data: new View(bytes.buffer) });

export class HidInputReportEvent extends Event implements HIDInputReportEvent {
  readonly #device: HIDDevice;
  readonly #reportId: number;
  readonly #data: DataView;

  constructor(type: string, init: HIDInputReportEventInit) {
    const read = dictionary(init, 'The init');
    const data = read('data');
    const device = read('device');
    if (!(data instanceof View)) throw typeError('The data is not a DataView.');
    if (!isHidDevice(device)) throw typeError('The device is not a HIDDevice.');
    super(type, init);
    this.#device = device;
    this.#reportId = integer(read('reportId'), 8);
    this.#data = data;
  }

  get device() {
    return this.#device;
  }

  get reportId() {
    return this.#reportId;
  }

  get data() {
    return this.#data;
  }
}
