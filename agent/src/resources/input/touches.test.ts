import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { EventBus } from '../../events/bus.ts';
import type { Rotation } from '../display/schema.ts';
import type { ListedDevice, TouchPoint } from './ports.ts';
import { inputRaw } from './schema.ts';
import { rotate, Touches } from './touches.ts';

const PANEL: ListedDevice = {
  id: 'event3',
  name: 'panel',
  kind: 'touch',
  vendor_id: 1,
  product_id: 2,
  node: '/dev/input/event3',
  hasPositions: true,
};
const KEYBOARD: ListedDevice = {
  ...PANEL,
  id: 'event0',
  node: '/dev/input/event0',
  kind: 'keyboard',
  hasPositions: false,
};
const DOWN: TouchPoint = { slot: 1, x: 0.25, y: 0.1, pressed: true, at: 1000 };

let listed: ListedDevice[];
let rotation: Rotation;
/** Readers that run, by node. */
let readers: Map<string, { onPoint: (point: TouchPoint) => void; lost: () => void }>;
let changed: (() => void) | undefined;
let bus: EventBus;
let unregister: () => void;
let events: string[];

const settled = () => new Promise(setImmediate);

beforeEach(() => {
  [listed, rotation, readers, changed, events] = [[PANEL, KEYBOARD], 0, new Map(), undefined, []];
  bus = new EventBus();
  const touches = new Touches({
    bus,
    rotation: () => rotation,
    devices: {
      list: async () => listed,
      watch: (listener) => {
        changed = listener;
        return () => (changed = undefined);
      },
      read: (node, onPoint, lost) => {
        readers.set(node, { onPoint, lost });
        return () => void readers.delete(node);
      },
    },
  });
  unregister = bus.produceOnDemand(inputRaw, touches.start);
});

/** Subscribes. */
async function listen(): Promise<() => void> {
  const stop = bus.on(inputRaw, ({ device, slot, x, y, pressed }) =>
    events.push(`${device} ${slot} ${x} ${y} ${pressed ? 'down' : 'up'}`),
  );
  await settled();
  return stop;
}

const reader = () => {
  const found = readers.get(PANEL.node);
  assert.ok(found);
  return found;
};

test('reads devices with positions only while somebody listens, and never keyboards', async () => {
  assert.equal(readers.size, 0);
  const stop = await listen();
  assert.deepEqual([...readers.keys()], [PANEL.node]);
  reader().onPoint(DOWN);
  assert.deepEqual(events, ['event3 1 0.25 0.1 down']);
  stop();
  assert.deepEqual([readers.size, changed], [0, undefined]);
});

test('a list that comes after the last listener has gone starts nothing', async () => {
  const stop = bus.on(inputRaw, () => undefined);
  stop();
  await settled();
  assert.equal(readers.size, 0);
});

test('devices come and go; fingers on one that goes are released', async () => {
  listed = [];
  await listen();
  listed = [PANEL];
  changed?.();
  await settled();
  reader().onPoint(DOWN);
  reader().onPoint({ ...DOWN, slot: 2 });
  reader().onPoint({ ...DOWN, slot: 2, pressed: false });
  listed = [{ ...PANEL, name: 'another panel at the same node' }];
  changed?.();
  await settled();
  assert.deepEqual(events.slice(3), ['event3 1 0.25 0.1 up']);
  assert.equal(readers.size, 1);
  unregister();
});

test('fingers are released when the reader ends', async () => {
  await listen();
  reader().onPoint(DOWN);
  reader().lost();
  reader().lost();
  assert.deepEqual(events, ['event3 1 0.25 0.1 down', 'event3 1 0.25 0.1 up']);
  unregister();
});

test('touches turn with the page, pointers do not', async () => {
  listed = [PANEL, { ...PANEL, id: 'event4', node: '/dev/input/event4', kind: 'pointer' }];
  await listen();
  rotation = 180;
  reader().onPoint(DOWN);
  readers.get('/dev/input/event4')?.onPoint(DOWN);
  assert.deepEqual(events, ['event3 1 0.75 0.9 down', 'event4 1 0.25 0.1 down']);
  // A page that is turned by 90 degrees clockwise has its upper left corner at the panel's upper right.
  assert.deepEqual(rotate(1, 0, 90), { x: 0, y: 0 });
  assert.deepEqual(rotate(0, 1, 270), { x: 0, y: 0 });
  unregister();
});
