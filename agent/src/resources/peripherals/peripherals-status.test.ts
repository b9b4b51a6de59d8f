import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ADAPTER, SCANNER } from '../../../../testing/peripheral-samples.ts';
import { createLogger } from '../../base/logger.ts';
import { PeripheralsStatus } from './peripherals-status.ts';
import type { Policy } from './policy.ts';
import type { GadgetIdentity, Peripheral } from './ports.ts';
import type { Peripherals } from './schema.ts';

const PAGE = 'https://kiosk.example';
const OFF = { enabled: false, allow: [] };
const HID_ALLOWED = { enabled: true, allow: [{ vendorId: 0x0c2e, productId: 0x0b61 }] };

let policy: Policy;
let plugged: Peripheral[];
/** Readings that wait to be let go on. */
let held: (() => void)[] | undefined;
let readings: number;
let running: number;
let listeners: Set<() => void>;
let events: Peripherals[];
let failure: Error | undefined;
let status: PeripheralsStatus;
/** The time, in ms. */
let now: number;

beforeEach(() => {
  mock.timers.enable({ apis: ['setTimeout'] });
  now = 0;
  mock.method(performance, 'now', () => now);
  policy = { origins: [], hid: OFF, serial: OFF, usb: { ...OFF, allow_driver_detach: false } };
  plugged = [SCANNER];
  held = undefined;
  [readings, running, listeners, events, failure] = [0, 0, new Set(), [], undefined];
  const inventory = {
    async list() {
      readings += 1;
      running += 1;
      assert.equal(running, 1, 'two readings overlap');
      const found = [...plugged];
      if (held) await new Promise<void>((resolve) => held?.push(resolve));
      running -= 1;
      if (failure) throw failure;
      return found;
    },
    gadget: async () => undefined,
    watch(listener: () => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  const emit = (described: Peripherals) => events.push(described);
  status = new PeripheralsStatus({
    ...{
      inventory,
      policy: () => policy,
      hostPort: true,
      emit,
      found: () => undefined,
      log: createLogger('silent'),
    },
  });
});
afterEach(() => {
  status.stop();
  mock.timers.reset();
  mock.restoreAll();
});

const settle = async () => {
  for (let count = 0; count < 20; count++) await turn();
};
const elapse = async (ms: number) => {
  now += ms;
  mock.timers.tick(ms);
  await settle();
};
const plug = (...all: Peripheral[]) => {
  plugged = all;
  for (const listener of listeners) listener();
};
const idsOf = (described: Peripherals | undefined) => described?.peripherals.map(({ id }) => id);

test('what changes the description is an event, and nothing else', async () => {
  status.start();
  await settle();
  assert.equal(events.length, 0, 'the first reading changes nothing');
  plug(SCANNER);
  await elapse(250);
  assert.deepEqual([readings, events.length], [2, 0]);
  plug(SCANNER, ADAPTER);
  await elapse(250);
  assert.deepEqual(idsOf(events.at(-1)), ['hidraw0', 'ttyUSB0']);

  policy = { ...policy, origins: [PAGE], hid: HID_ALLOWED };
  status.touched();
  await elapse(250);
  assert.deepEqual(events.at(-1)?.peripherals[0]?.origins, [PAGE]);

  status.update(new Map([['hidraw0', PAGE]]), PAGE);
  await elapse(250);
  assert.deepEqual([events.at(-1)?.page_origin, events.at(-1)?.peripherals[0]?.open_by], [PAGE, PAGE]);
  const before = readings;
  status.update(new Map([['hidraw0', PAGE]]), PAGE);
  await elapse(250);
  assert.equal(readings, before, 'nothing was updated');
  assert.equal(events.length, 3);
});

test('many changes are one reading after the one under way, and those who ask meanwhile get that one', async () => {
  held = [];
  status.start();
  await settle();
  plugged = [ADAPTER];
  const answers = [status.read(), status.read(), status.read()];
  for (let count = 0; count < 100; count++) status.touched();
  await elapse(0);
  assert.equal(readings, 1);
  held.shift()?.();
  await settle();
  assert.equal(readings, 2);
  held.shift()?.();
  for (const answer of answers) assert.deepEqual(idsOf(await answer), ['ttyUSB0']);
  assert.equal(events.length, 1);
});

test('a page that opens and closes a peripheral in a loop causes four events a second, and the last state is sent', async () => {
  status.start();
  await settle();
  for (let ms = 0; ms < 1000; ms += 10) {
    status.update(ms % 20 === 0 ? new Map([['hidraw0', PAGE]]) : new Map(), PAGE);
    await elapse(10);
    // A host that asks all the time does not cause more events.
    await status.read();
  }
  assert.ok(events.length >= 2 && events.length <= 5, `${events.length} events`);
  status.update(new Map([['hidraw0', 'https://last.example']]), PAGE);
  await elapse(500);
  assert.equal(events.at(-1)?.peripherals[0]?.open_by, 'https://last.example');
});

test('a reading that fails is the caller’s error, and the next one works', async () => {
  status.start();
  await settle();
  failure = new Error('no sysfs');
  await assert.rejects(status.read(), /no sysfs/);
  plug(ADAPTER);
  await elapse(250);
  failure = undefined;
  assert.deepEqual(idsOf(await status.read()), ['ttyUSB0']);
});

test('after the stop nothing is watched, read or reported', async () => {
  status.start();
  await settle();
  plug(ADAPTER);
  status.stop();
  await elapse(1000);
  assert.deepEqual([listeners.size, readings, events.length], [0, 1, 0]);
});

test('pages reach nothing on a board without a host port, and the gadget is read after the list', async () => {
  const found: [readonly Peripheral[], GadgetIdentity | undefined][] = [];
  const gadget = { vendorId: 0x1d6b, productId: 0x0104, serialNumber: null };
  let isListed = false;
  const inventory = {
    list: async () => {
      await turn();
      isListed = true;
      return [SCANNER];
    },
    gadget: async () => (isListed ? gadget : undefined),
    watch: () => () => undefined,
  };
  for (const hostPort of [true, false]) {
    isListed = false;
    const board = new PeripheralsStatus({
      ...{ inventory, hostPort, policy: () => policy, emit: () => undefined },
      found: (...each) => found.push(each),
      log: createLogger('silent'),
    });
    assert.deepEqual(idsOf(await board.read()), ['hidraw0']);
  }
  assert.deepEqual(found, [
    [[SCANNER], gadget],
    [[], gadget],
  ]);
});

test('a system without an inventory has no peripherals', async () => {
  const none = new PeripheralsStatus({
    ...{
      inventory: undefined,
      found: () => undefined,
      policy: () => policy,
      hostPort: true,
      emit: () => assert.fail(),
    },
    log: createLogger('silent'),
  });
  none.start();
  assert.deepEqual(await none.read(), { host_port: true, page_origin: null, peripherals: [] });
  none.stop();
});
