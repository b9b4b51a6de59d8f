import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { Mutex } from '../base/mutex.ts';
import type { Watch } from '../base/watch.ts';
import { bytesOf, type Driver, type DriverOptions, fitting, unknownCommand } from './driver.ts';
import { CommandError, orElse } from './errors.ts';
import { type Closable, Handles } from './handles.ts';
import { loadNodeHid } from './native.ts';
import { COMMANDS } from './protocol.ts';
import { hasReportIds } from './report-ids.ts';

const NODE = /^\/dev\/hidraw\d+$/;
/** Longest report descriptor of the kernel (HID_MAX_DESCRIPTOR_SIZE), in bytes. */
const MAX_DESCRIPTOR_BYTES = 4096;
const commands = COMMANDS.hid;

/** What is used of node-hid's HIDAsync. Its calls for one device run one after the other. */
export interface HidDevice {
  on(event: 'data', listener: (report: Buffer) => void): unknown;
  on(event: 'error', listener: (error: unknown) => void): unknown;
  /** The report with its id in front, 0 for a device without ids. */
  write(report: Buffer): Promise<number>;
  sendFeatureReport(report: Buffer): Promise<number>;
  /** `length` with the report id, which is also the first byte of the result. */
  getFeatureReport(reportId: number, length: number): Promise<Buffer>;
  close(): Promise<void>;
}

export interface HidSystem {
  open(node: string): Promise<HidDevice>;
  readDescriptor(node: string): Promise<Buffer>;
}

const linux: HidSystem = {
  open: (node) => {
    const hid = loadNodeHid();
    hid.setDriverType('hidraw');
    return hid.HIDAsync.open(node);
  },
  readDescriptor: async (node) => {
    const descriptor = await readFile(`/sys/class/hidraw/${basename(node)}/device/report_descriptor`);
    return descriptor.subarray(0, MAX_DESCRIPTOR_BYTES);
  },
};

/** Drives HID peripherals by their hidraw nodes. */
export class HidDriver implements Driver {
  readonly #watch: Watch;
  readonly #emit: DriverOptions['emit'];
  readonly #system: HidSystem;
  readonly #handles: Handles<OpenHid>;

  /** @param system for tests */
  constructor({ emit, watch }: DriverOptions, system: HidSystem = linux) {
    this.#watch = watch;
    this.#emit = emit;
    this.#system = system;
    this.#handles = new Handles(emit);
  }

  async execute(command: string, message: unknown): Promise<object> {
    const handles = this.#handles;
    switch (command) {
      case 'open': {
        const { handle, node } = fitting(commands.open, message);
        await handles.open(handle, node, () => this.#open(handle, node));
        return {};
      }
      case 'close':
        await handles.close(fitting(commands.close, message).handle);
        return {};
      case 'write': {
        const { handle, report_id, data } = fitting(commands.write, message);
        const report = Buffer.concat([Buffer.of(report_id), bytesOf(data)]);
        await handles.run(handle, (device) => device.write(report), report.length);
        return {};
      }
      case 'send_feature': {
        const { handle, report_id, data } = fitting(commands.send_feature, message);
        const report = Buffer.concat([Buffer.of(report_id), bytesOf(data)]);
        await handles.run(handle, (device) => device.sendFeature(report), report.length);
        return {};
      }
      case 'get_feature': {
        const { handle, report_id, length } = fitting(commands.get_feature, message);
        const data = await handles.run(handle, (device) => device.getFeature(report_id, length), length);
        return { data: data.toString('base64') };
      }
      default:
        return unknownCommand();
    }
  }

  async closeAll(): Promise<void> {
    await this.#handles.closeAll();
  }

  async #open(handle: number, node: string): Promise<OpenHid> {
    if (!NODE.test(node)) throw new CommandError('NotFoundError', 'This is no HID peripheral.');
    const [device, isNumbered] = await orElse('NotAllowedError', 'Failed to open the device.', async () => {
      const descriptor = await this.#system.readDescriptor(node);
      const opening = this.#watch('Opening a HID device', this.#system.open(node));
      return [await opening, hasReportIds(descriptor)] as const;
    });
    device.on('data', (report) => {
      const data = (isNumbered ? report.subarray(1) : report).toString('base64');
      this.#emit({ event: 'input', handle, report_id: isNumbered ? (report[0] ?? 0) : 0, data });
    });
    device.on('error', () => this.#handles.lose(handle, 'The HID device was unplugged.'));
    // Reading begins in the next tick, and must not find the device closed.
    await new Promise<void>((resolve) => process.nextTick(resolve));
    return new OpenHid(device, this.#watch);
  }
}

class OpenHid implements Closable {
  readonly #device: HidDevice;
  readonly #watch: Watch;
  /** The device takes one report after the other; only the time for one is watched. */
  readonly #reports = new Mutex();
  #isClosed = false;

  constructor(device: HidDevice, watch: Watch) {
    this.#device = device;
    this.#watch = watch;
  }

  async write(report: Buffer): Promise<void> {
    await this.#do('Failed to write the report.', () => this.#device.write(report));
  }

  async sendFeature(report: Buffer): Promise<void> {
    await this.#do('Failed to write the feature report.', () => this.#device.sendFeatureReport(report));
  }

  /** @param length without the report id, in bytes @returns the same */
  async getFeature(reportId: number, length: number): Promise<Buffer> {
    const report = await this.#do('Failed to receive the feature report.', () =>
      this.#device.getFeatureReport(reportId, length + 1),
    );
    return report.subarray(1);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#watch('Closing a HID device', this.#device.close()).catch(() => undefined);
  }

  /** @param failure a sentence, which Chromium has, too */
  async #do<T>(failure: string, call: () => Promise<T>): Promise<T> {
    return await this.#reports.run(() => {
      if (this.#isClosed) throw new CommandError('AbortError', 'It was closed.');
      return orElse('NotAllowedError', failure, () => this.#watch('A report', call()));
    });
  }
}
