import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { waitFor } from '../../../../testing/wait.ts';
import { createLogger } from '../../base/logger.ts';
import { SysfsInventory } from './inventory.ts';

let root: string;
let inventory: SysfsInventory;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'vitrine-watch-'));
  inventory = new SysfsInventory({ log: createLogger('silent'), root });
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function put(path: string, content: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), content);
}

const wait = (condition: () => boolean, what: string) =>
  waitFor(condition, { timeoutMs: 10_000, what, intervalMs: 10 });

test('reports nodes, folders that appear later, and what is removed', async () => {
  await mkdir(join(root, 'dev'));
  let reports = 0;
  const stop = inventory.watch(() => (reports += 1));
  const next = async (what: string, change: () => Promise<unknown>) => {
    const before = reports;
    await change();
    await wait(() => reports > before, what);
  };
  await next('a HID device', () => put('dev/hidraw0', ''));
  await next('its removal', () => rm(join(root, 'dev/hidraw0')));
  await next('a serial port', () => put('dev/ttyACM0', ''));
  await next('the first USB bus', () => put('dev/bus/usb/001/001', ''));
  await next('a USB device', () => put('dev/bus/usb/001/002', ''));
  await next('a second bus', () => put('dev/bus/usb/002/001', ''));
  await next('a device on it', () => put('dev/bus/usb/002/002', ''));
  await next('the removal of all buses', () => rm(join(root, 'dev/bus'), { recursive: true }));
  await next('a new bus', () => put('dev/bus/usb/001/001', ''));
  await next('a device on the new bus', () => put('dev/bus/usb/001/002', ''));
  stop();
});

test('many changes are one report, and writes to a device are none', async () => {
  await put('dev/ttyACM0', '');
  let phase = 'writes';
  const reports: string[] = [];
  const stop = inventory.watch(() => reports.push(phase));
  for (let write = 0; write < 50; write++) {
    await appendFile(join(root, 'dev/ttyACM0'), 'x');
    await put(`dev/null${write}`, '');
  }
  phase = 'many';
  for (let number = 0; number < 20; number++) writeFileSync(join(root, `dev/hidraw${number}`), '');
  await wait(() => reports.length > 0, 'the report');
  phase = 'one';
  await put('dev/hidraw99', '');
  await wait(() => reports.length > 1, 'the next report');
  stop();
  assert.deepEqual(reports, ['many', 'one']);
});

test('waits until udev is done', async () => {
  await put('dev/ttyACM0', '');
  await put('run/udev/queue', '');
  await put('without-udev/dev/ttyACM0', '');
  let isDone = false;
  const reports: boolean[] = [];
  const stop = inventory.watch(() => reports.push(isDone));
  let others = 0;
  const other = new SysfsInventory({ log: createLogger('silent'), root: join(root, 'without-udev') });
  const stopOther = other.watch(() => (others += 1));
  await put('dev/hidraw0', '');
  for (let number = 1; number <= 2; number++) {
    await put(`without-udev/dev/hidraw${number}`, '');
    await wait(() => others === number, 'the report without udev');
  }
  isDone = true;
  await rm(join(root, 'run/udev/queue'));
  await wait(() => reports.length > 0, 'the report');
  stop();
  stopOther();
  assert.deepEqual(reports, [true]);
});

test('nothing is reported after it was stopped', async () => {
  await put('dev/ttyACM0', '');
  let reports = 0;
  const stop = inventory.watch(() => (reports += 1));
  await put('dev/hidraw0', '');
  stop();
  let later = 0;
  const stopLater = inventory.watch(() => (later += 1));
  await put('dev/hidraw1', '');
  await wait(() => later > 0, 'the report of the other watch');
  stopLater();
  assert.equal(reports, 0);
});

test('without any folder nothing is reported, and nothing fails', () => {
  inventory.watch(() => assert.fail('reported'))();
});
