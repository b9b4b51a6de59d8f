import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { beforeEach, test } from 'node:test';
import { unwatched } from '../base/watch.ts';
import type { IoEvent } from './driver.ts';
import { type HidDevice, HidDriver } from './hid.ts';

/** A report descriptor with a report id, and one without. */
const NUMBERED = Buffer.from('0600ff0901a1018501750895080981020c', 'hex');
const PLAIN = Buffer.from('0600ff0901a101750895080981020c', 'hex');

class ModelDevice extends EventEmitter implements HidDevice {
  readonly reports: string[] = [];
  closes = 0;
  /** The report that is being sent. */
  sending: PromiseWithResolvers<void> | undefined;

  async write(report: Buffer): Promise<number> {
    this.sending = Promise.withResolvers();
    await this.sending.promise;
    this.reports.push(`write ${report.toString('hex')}`);
    return report.length;
  }
  async sendFeatureReport(report: Buffer): Promise<number> {
    this.reports.push(`feature ${report.toString('hex')}`);
    return report.length;
  }
  async getFeatureReport(reportId: number, length: number): Promise<Buffer> {
    if (reportId === 9) throw new Error('EPIPE');
    return Buffer.from([reportId, 1, 2, 3]).subarray(0, length);
  }
  async close(): Promise<void> {
    this.closes += 1;
    this.sending?.reject(new Error('ENODEV'));
  }
}

let device: ModelDevice;
let descriptor: Buffer;
let events: IoEvent[];
/** When opening ends. */
let opened: Promise<void>;
let driver: HidDriver;

beforeEach(() => {
  device = new ModelDevice();
  descriptor = PLAIN;
  events = [];
  opened = Promise.resolve();
  const open = async (): Promise<HidDevice> => {
    await opened;
    return device;
  };
  const system = { open, readDescriptor: async () => descriptor };
  driver = new HidDriver({ emit: (event) => events.push(event), watch: unwatched }, system);
});

const call = (command: string, fields: object = {}): Promise<object> =>
  driver.execute(command, { handle: 1, ...fields });
const openDevice = (): Promise<object> => call('open', { node: '/dev/hidraw0' });

test('input reports have their id only if the device has ids', async () => {
  await openDevice();
  device.emit('data', Buffer.from('0102', 'hex'));
  await call('close');
  descriptor = NUMBERED;
  await openDevice();
  device.emit('data', Buffer.from('0102', 'hex'));
  assert.deepEqual(events[0], { event: 'input', handle: 1, report_id: 0, data: 'AQI=' });
  assert.deepEqual(events.at(-1), { event: 'input', handle: 1, report_id: 1, data: 'Ag==' });
});

test('reports that are sent have the id in front; a feature report comes back without', async () => {
  await openDevice();
  const writing = call('write', { report_id: 0, data: 'AQI=' });
  await new Promise(setImmediate);
  device.sending?.resolve();
  await writing;
  await call('send_feature', { report_id: 7, data: 'Aw==' });
  assert.deepEqual(device.reports, ['write 000102', 'feature 0703']);
  assert.deepEqual(await call('get_feature', { report_id: 3, length: 2 }), { data: 'AQI=' });
  await assert.rejects(call('get_feature', { report_id: 9, length: 2 }), { name: 'NotAllowedError' });
  await assert.rejects(call('write', { report_id: 0, data: '?' }), { name: 'TypeError' });
});

test('an unplugged device is reported once, and ends what waits', async () => {
  await openDevice();
  const writes = ['AQ==', 'Ag=='].map((data) =>
    assert.rejects(call('write', { report_id: 0, data }), { name: 'NetworkError' }),
  );
  await new Promise(setImmediate);
  device.emit('error', 'could not read');
  device.emit('error', 'could not read');
  await Promise.all(writes);
  await call('close');
  assert.deepEqual(events, [{ event: 'closed', handle: 1, reason: 'The HID device was unplugged.' }]);
  assert.equal(device.closes, 1);
});

test('a device that is closed while it opens is closed again', async () => {
  const gate = Promise.withResolvers<void>();
  opened = gate.promise;
  const opening = assert.rejects(openDevice(), { name: 'AbortError' });
  await new Promise(setImmediate);
  const closing = driver.closeAll();
  gate.resolve();
  await closing;
  await opening;
  assert.equal(device.closes, 1);
  await assert.rejects(call('open', { node: '/dev/hidraw0/../mem' }), { name: 'TypeError' });
  await assert.rejects(call('open', { node: '/dev/mem' }), { name: 'NotFoundError' });
  await assert.rejects(call('drain'), { name: 'NotSupportedError' });
});
