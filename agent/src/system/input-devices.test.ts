import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { repetitions } from '../../../testing/long-runs.ts';
import { waitFor } from '../../../testing/wait.ts';
import { createLogger } from '../base/logger.ts';
import type { TouchPoint } from '../resources/input/ports.ts';
import { LinuxInputDevices, parseInputDevices, parsePoint } from './input-devices.ts';

const TOUCH_SCREEN = `I: Bus=0003 Vendor=0eef Product=0001 Version=0210
N: Name="eGalax Inc. "USB" TouchController"
H: Handlers=mouse0 event3
B: PROP=2
B: EV=1b
B: KEY=400 0 0 0 0 0
B: ABS=260800000000003
`;
const TOUCH_PAD = TOUCH_SCREEN.replace('PROP=2', 'PROP=5').replace(/KEY=.*/, 'KEY=e520 10000 0 0 0 0');
const TABLET = `I: Bus=0006 Vendor=0627 Product=0003 Version=0002
N: Name="QEMU Virtio Tablet"
H: Handlers=mouse1 event2
B: PROP=0
B: EV=b
B: KEY=30000 1f0000 0 0 0 0
B: ABS=3
`;
const MOUSE = TABLET.replace(/B: ABS.*\n/, '').replace('EV=b', 'EV=7');
const KEYBOARD = `I: Bus=0011 Vendor=0000 Product=0000 Version=ab41
N: Name="AT Translated Set 2 keyboard"
H: Handlers=sysrq kbd event0 leds
B: PROP=0
B: EV=120013
B: KEY=402000000 3803078f800d001 feffffdfffefffff fffffffffffffffe
`;
const BUTTON = KEYBOARD.replace(/KEY=.*/, 'KEY=10000000000000 0');

const kindOf = (device: string) => {
  const [found] = parseInputDevices(device);
  return [found?.kind, found?.hasPositions];
};

test('lists devices with their ids', () => {
  const listed = parseInputDevices([TOUCH_SCREEN, KEYBOARD, KEYBOARD.replace('event0 ', '')].join('\n'));
  assert.deepEqual(listed, [
    {
      id: 'event3',
      name: 'eGalax Inc. "USB" TouchController',
      kind: 'touch',
      vendor_id: 0x0eef,
      product_id: 1,
      node: '/dev/input/event3',
      hasPositions: true,
    },
    {
      id: 'event0',
      name: 'AT Translated Set 2 keyboard',
      kind: 'keyboard',
      vendor_id: null,
      product_id: null,
      node: '/dev/input/event0',
      hasPositions: false,
    },
  ]);
  assert.deepEqual(parseInputDevices(''), []);
});

test('kinds are those that udev finds', () => {
  assert.deepEqual(kindOf(TOUCH_SCREEN), ['touch', true]);
  // Some panels do not say that they are direct.
  assert.deepEqual(kindOf(TOUCH_SCREEN.replace('PROP=2', 'PROP=0')), ['touch', true]);
  assert.deepEqual(kindOf(TOUCH_PAD), ['pointer', false]);
  assert.deepEqual(kindOf(TABLET), ['pointer', true]);
  assert.deepEqual(kindOf(MOUSE), ['pointer', false]);
  assert.deepEqual(kindOf(KEYBOARD), ['keyboard', false]);
  assert.deepEqual(kindOf(BUTTON), ['other', false]);
  // One of the 31 keys is missing.
  assert.deepEqual(kindOf(KEYBOARD.replace('fffffffffffffffe', 'fffffffffffffefe')), ['other', false]);
});

test('whatever a device calls itself, the list is one of devices', () => {
  const parts = fc.oneof(
    fc.string(),
    fc.constantFrom(TOUCH_SCREEN, KEYBOARD, '\n\n', 'H: Handlers=event9\n'),
  );
  fc.assert(
    fc.property(fc.array(parts), (texts) => {
      for (const { id, node } of parseInputDevices(texts.join(''))) assert.equal(node, `/dev/input/${id}`);
    }),
    { numRuns: repetitions(300, 10_000) },
  );
});

test('takes the reader’s lines and nothing else', () => {
  assert.deepEqual(parsePoint('3 0.250000 1.000000 1 1795476423123'), {
    slot: 3,
    x: 0.25,
    y: 1,
    pressed: true,
    at: 1_795_476_423_123,
  });
  for (const line of [
    '',
    '3 0.25 1 1 1',
    '-1 0.250000 1.000000 1 1',
    '3 0.250000 nan 1 1',
    '3 0.250000 1.000000 2 1',
  ])
    assert.equal(parsePoint(line), undefined);
});

test('a reader that ends is started again, and what it missed is reported', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-input-'));
  const reader = join(folder, 'read-touch');
  await writeFile(reader, '#!/bin/sh\necho "0 0.500000 0.500000 1 1000"\n');
  await chmod(reader, 0o755);
  const points: TouchPoint[] = [];
  let losses = 0;
  const stop = new LinuxInputDevices({ log: createLogger('silent'), reader }).read(
    '/dev/input/event3',
    (point) => points.push(point),
    () => (losses += 1),
  );
  await waitFor(() => points.length > 1, { timeoutMs: 10_000, what: 'the second start', intervalMs: 20 });
  stop();
  assert.ok(losses > 0);
  await rm(folder, { recursive: true });
});
