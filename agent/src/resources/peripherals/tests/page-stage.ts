/** The page, the browser and the programs around a page's sessions. */

import assert from 'node:assert/strict';
import { field } from '../../../../../testing/field.ts';
import { waitFor } from '../../../../../testing/wait.ts';
import { KindEvents } from '../../../base/kind-events.ts';
import { PeerError } from '../../../base/peer-calls.ts';
import type { TagReading } from '../../nfc/page-tags.ts';
import { PageError } from '../../page/page-error.ts';
import { PagePeripherals } from '../page-peripherals.ts';
import type { Rules } from '../page-session.ts';
import type { Policy } from '../policy.ts';
import type {
  DeviceChannelEvent,
  HidPeripheral,
  IoEvent,
  Peripheral,
  PeripheralIo,
  SerialPeripheral,
  UsbPeripheral,
} from '../ports.ts';

export const ORIGIN = 'https://kiosk.example';
const SILENT = { debug() {}, info() {}, warn() {}, error() {} };
const report = (reportId: number) => ({ reportId, items: [] });
const common = {
  manufacturer: null,
  product: 'Thing',
  serialNumber: null,
  usbDevice: '1-1',
  vendorId: 0x1209,
};

export const vendorCollection = {
  usagePage: 0xff00,
  usage: 1,
  type: 1,
  children: [],
  inputReports: [report(2)],
  outputReports: [report(2)],
  featureReports: [],
};
const keyboardCollection = {
  ...vendorCollection,
  usagePage: 1,
  usage: 6,
  inputReports: [report(1)],
  outputReports: [report(1)],
};
export const HID: HidPeripheral = {
  ...common,
  kind: 'hid',
  id: 'hidraw0',
  instance: 'hid-1',
  node: '/dev/hidraw0',
  productId: 1,
  collections: [keyboardCollection, vendorCollection],
};
const SERIAL: SerialPeripheral = {
  ...common,
  kind: 'serial',
  id: 'ttyACM0',
  instance: 'tty-1',
  node: '/dev/ttyACM0',
  productId: 2,
};
export const USB: UsbPeripheral = {
  ...common,
  kind: 'usb',
  id: '1-1',
  instance: 'usb-1',
  node: '/dev/bus/usb/001/002',
  productId: 3,
  usbVersion: 0x200,
  deviceVersion: 0x100,
  classCode: 0,
  subclass: 0,
  protocol: 0,
  configuration: 1,
  configurations: [
    {
      value: 1,
      name: null,
      interfaces: [
        {
          number: 0,
          alternates: [
            {
              setting: 0,
              classCode: 0xff,
              subclass: 0,
              protocol: 0,
              name: null,
              endpoints: [
                { number: 1, direction: 'in', type: 'bulk', packetSize: 512 },
                { number: 2, direction: 'out', type: 'bulk', packetSize: 512 },
              ],
            },
          ],
        },
      ],
    },
  ],
  drivers: new Map(),
};
export const POLICY: Policy = {
  origins: [ORIGIN],
  hid: { enabled: true, allow: [{ vendorId: 0x1209, productId: 1 }] },
  serial: { enabled: true, allow: [{ usbVendorId: 0x1209, usbProductId: 2 }] },
  usb: { enabled: true, allow_driver_detach: false, allow: [{ vendorId: 0x1209, productId: 3 }] },
};

/** Waits for a condition. @param what its name */
export async function seen(condition: () => boolean, what: string): Promise<void> {
  await waitFor(condition, { timeoutMs: 5000, what, intervalMs: 2 });
}

/** A program whose answers the test gives. */
class FakeIo implements PeripheralIo {
  readonly calls: {
    command: string;
    fields: object;
    answer: PromiseWithResolvers<Record<string, unknown>>;
  }[] = [];
  /** Commands that the test answers itself; others are done at once. */
  readonly held = new Set<string>();
  isRunning = false;
  #listener: (event: IoEvent) => void = () => undefined;

  listen(listener: (event: IoEvent) => void): () => void {
    this.#listener = listener;
    return () => undefined;
  }
  async stop(): Promise<void> {
    this.isRunning = false;
  }
  call(command: string, fields: object): Promise<Record<string, unknown>> {
    const answer = Promise.withResolvers<Record<string, unknown>>();
    if (command === 'open') this.isRunning = true;
    this.calls.push({ command, fields, answer });
    if (!this.held.has(command)) answer.resolve({});
    return answer.promise;
  }
  emit(event: IoEvent): void {
    this.#listener(event);
  }
  /** Names of the commands that came, with the handle and the values of the other fields. */
  get log(): string[] {
    return this.calls.map(({ command, fields }) => {
      const { handle, ...rest } = { handle: undefined, ...fields };
      return [command, handle, ...Object.values(rest)].join(' ');
    });
  }
}

/** Tags for a page, as the test calls for them. */
class FakeNfc {
  #listener: ((reading: TagReading) => void) | undefined;
  ends = 0;
  writing: PromiseWithResolvers<void> | undefined;
  async scan(listener: (reading: TagReading) => void): Promise<void> {
    this.#listener = listener;
  }
  stopScan(): void {
    this.#listener = undefined;
  }
  get isScanned(): boolean {
    return this.#listener !== undefined;
  }
  read(reading: TagReading): void {
    this.#listener?.(reading);
  }
  async write(): Promise<void> {
    this.writing = Promise.withResolvers<void>();
    await this.writing.promise;
  }
  abortWrite(): void {
    this.writing?.reject(new PageError('AbortError', 'aborted'));
  }
  async transceive(): Promise<string> {
    return 'kAA=';
  }
  end(): void {
    this.ends += 1;
    this.stopScan();
    this.abortWrite();
  }
}

export function stage(peripherals: readonly Peripheral[] = [HID, SERIAL, USB]) {
  const events = new KindEvents<DeviceChannelEvent>();
  const io = { hid: new FakeIo(), serial: new FakeIo(), usb: new FakeIo() };
  const rules: Rules & { mayUseTags: boolean } = {
    policy: POLICY,
    gadget: undefined,
    peripherals,
    mayUseTags: false,
  };
  const nfc = new FakeNfc();
  /** What the page got, and what keeps its listener busy. */
  const received: Record<string, unknown>[] = [];
  const page = { reads: Promise.resolve(), credits: 0 };
  /** What the next reading finds, if that is something else, and what it waits for. */
  const inventory: {
    plugged: readonly Peripheral[] | undefined;
    failure: Error | undefined;
    reads: Promise<void>;
  } = { plugged: undefined, failure: undefined, reads: Promise.resolve() };
  const all = new PagePeripherals({
    browser: {
      on: events.on,
      credit: (_channel, size) => {
        page.credits += size;
      },
      send: async (_channel, data) => {
        if (data.length > 1024 * 1024) throw new PeerError('too_large', 'the message is too large');
        await page.reads;
        received.push(JSON.parse(data));
      },
    },
    io,
    rules: () => rules,
    reread: async () => {
      await inventory.reads;
      if (inventory.failure) throw inventory.failure;
      if (inventory.plugged) rules.peripherals = inventory.plugged;
      all.refresh();
    },
    isServed: (origin) => rules.policy.origins.includes(origin),
    nfc,
    mayUseTags: () => rules.mayUseTags,
    changed: () => undefined,
    log: SILENT,
    idleMs: 10,
  });
  let channel = 0;
  let id = 0;
  const open = (origin = ORIGIN) => {
    channel += 1;
    events.emit({ event: 'device_channel', channel, open: true, origin });
  };
  const close = () => events.emit({ event: 'device_channel', channel, open: false, origin: ORIGIN });
  const post = (data: string) => {
    page.credits -= 1;
    events.emit({ event: 'device_message', channel, data });
  };
  const request = (call: string, fields: object = {}) => {
    id += 1;
    post(JSON.stringify({ id, call, ...fields }));
    return id;
  };
  const answerTo = async (number: number) => {
    await seen(() => received.some((each) => each.id === number), `answer ${number}`);
    return received.find((each) => each.id === number);
  };
  const call = async (name: string, fields: object = {}) => await answerTo(request(name, fields));
  const opened = async (kind: 'hid' | 'serial' | 'usb', fields: object = {}) => {
    const device = field(await call('list', { kind }), 'result.devices.0.device');
    assert.deepEqual(field(await call(`${kind}.open`, { device, ...fields }), 'result'), {});
    return device;
  };
  return {
    all,
    io,
    nfc,
    rules,
    inventory,
    received,
    page,
    open,
    close,
    post,
    request,
    answerTo,
    call,
    opened,
  };
}
export const OPTIONS = { baudRate: 9600, dataBits: 8, stopBits: 1, parity: 'none', flowControl: 'none' };
export const nameOf = (answer: unknown) => field(answer, 'error.name');
