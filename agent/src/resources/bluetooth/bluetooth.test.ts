/** The resource with a radio that does what it is told. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ADAPTER, FakeRadio, fakeDevice } from '../../../../testing/fake-bluetooth-radio.ts';
import { createLogger } from '../../base/logger.ts';
import { validator } from '../../validation/validator.ts';
import type { Settings } from './adapter-machine.ts';
import { Bluetooth } from './bluetooth.ts';
import { MAX_DEVICES } from './devices.ts';
import { bluetoothChanged, type Pairing } from './schema.ts';

const log = createLogger('silent');
const HID = '00001124-0000-1000-8000-00805f9b34fb';

let radio: FakeRadio;
let settings: Settings;
let service: Bluetooth;
let isOpen: boolean;
let events: { adapter: Record<string, unknown>; devices: { address: string; rssi: number | null }[] }[];
let recovered: number;

beforeEach(() => {
  mock.timers.enable({ apis: ['setTimeout'] });
  radio = new FakeRadio();
  settings = { enabled: true, alias: 'Lobby', discoverable: false };
  isOpen = true;
  events = [];
  recovered = 0;
  service = new Bluetooth({
    radio,
    settings: () => settings,
    isOpen: async () => isOpen,
    emit: (json) => {
      const payload: unknown = JSON.parse(json);
      assert.ok(validator(bluetoothChanged.payload).fits(payload), json);
      events.push(payload);
    },
    recovered: () => {
      recovered += 1;
    },
    log,
  });
});
afterEach(() => {
  service.stop();
  mock.timers.reset();
});

/** Lets everything happen that needs no time. */
const settle = async () => {
  for (let count = 0; count < 20; count++) await turn();
};
const elapse = async (ms: number) => {
  mock.timers.tick(ms);
  await settle();
};
const begin = async () => {
  service.start();
  await settle();
};
const fails = (work: Promise<unknown> | (() => unknown), code: string, message?: RegExp) =>
  assert.rejects(async () => (typeof work === 'function' ? work() : work), {
    code,
    ...(message ? { message } : {}),
  });

test('enabling starts the daemon and opens the adapter last; disabling ends all of it', async () => {
  await begin();
  const { address } = radio.adapter ?? assert.fail();
  assert.deepEqual(radio.calls, [
    ...['start', 'register', 'pairable false', 'discoverableTimeout 0', 'alias Lobby', 'powered true'],
  ]);
  const shown = {
    address,
    name: 'Lobby',
    powered: true,
    discovering: false,
    discoverable: false,
    pairing: null,
  };
  assert.deepEqual(service.get(), shown);
  await service.scan(true);
  settings = { ...settings, enabled: false };
  radio.calls.length = 0;
  await service.apply();
  assert.deepEqual(radio.calls, ['discover false', 'powered false', 'stop']);

  settings = { ...settings, enabled: true };
  await service.apply();
  radio.refused.set('powered false', 'No.');
  settings = { ...settings, enabled: false };
  await service.apply();
  assert.equal(radio.calls.at(-1), 'stop', 'the daemon switches it off when it ends');
});

test('without a radio nothing is started, until one is plugged in', async () => {
  radio.present = false;
  await begin();
  await service.apply();
  assert.deepEqual(radio.calls, []);
  await fails(() => service.get(), 'unavailable');
  radio.present = true;
  await elapse(2000);
  assert.equal(service.get().powered, true);
  const { adapter } = radio;
  radio.adapter = undefined;
  radio.present = false;
  radio.changed();
  await settle();
  assert.match(service.problems().join(), /adapter is gone/);
  radio.present = true;
  radio.adapter = adapter && { ...adapter, powered: false, alias: 'BlueZ' };
  radio.changed();
  await settle();
  assert.deepEqual([service.get().name, service.get().powered, service.problems()], ['Lobby', true, []]);
});

test('a daemon that was killed gets everything again; one that does not come back is a problem', async () => {
  await begin();
  radio.setUp(false);
  radio.calls.length = 0;
  radio.setUp(true);
  await settle();
  assert.deepEqual(radio.calls, ['register']);
  radio.refused.set('start', 'The Bluetooth service does not start.');
  radio.setUp(false);
  await settle();
  await elapse(10_000);
  assert.match(service.problems().join(), /does not start/);
  await fails(() => service.get(), 'unavailable', /does not start/);
  radio.refused.clear();
  await elapse(30_000);
  assert.deepEqual([service.get().powered, service.problems()], [true, []]);
});

test('a configuration that the daemon refuses is not answered as applied, and recovers', async () => {
  await begin();
  radio.refused.set('discoverable true', 'No.');
  settings = { ...settings, discoverable: true };
  await fails(service.apply(), 'unavailable', /No\./);
  assert.match(service.problems().join(), /No\./);
  assert.equal(recovered, 0);
  radio.refused.clear();
  await elapse(1000);
  assert.deepEqual([service.get().discoverable, recovered, service.problems()], [true, 1, []]);
});

test('a configuration that is not reached in time is an error', async () => {
  await begin();
  radio.set = () => new Promise(() => undefined);
  settings = { ...settings, alias: 'Hall' };
  const late = fails(service.apply(), 'unavailable', /in time/);
  await elapse(8000);
  await late;
});

test('while powered off every operation is a conflict, and power is not stored', async () => {
  await begin();
  radio.devices.set('a', fakeDevice(1));
  assert.equal((await service.power(false)).powered, false);
  const { address } = fakeDevice(1);
  for (const operation of [
    () => service.scan(true),
    () => service.scan(false),
    () => service.devices(),
    () => service.pair(address),
    () => service.remove(address),
  ]) {
    await fails(operation, 'conflict');
  }
  radio.setUp(false);
  radio.setUp(true);
  await settle();
  assert.equal(service.get().powered, false, 'the daemon was restarted');
  settings = { ...settings, enabled: false };
  await service.apply();
  settings = { ...settings, enabled: true };
  await service.apply();
  assert.equal(service.get().powered, true);
  radio.refused.set('powered false', 'Busy.');
  await fails(service.power(false), 'unavailable', /Busy/);
});

test('discovery ends by itself, and a refused one can be started again', async () => {
  await begin();
  radio.refused.set('discover true', 'Not now.');
  await fails(service.scan(true), 'unavailable', /Not now/);
  radio.refused.clear();
  assert.equal((await service.scan(true)).discovering, true);
  await elapse(100_000);
  await service.scan(true);
  await elapse(119_000);
  assert.equal(service.get().discovering, true);
  await elapse(1000);
  assert.equal(service.get().discovering, false);
});

test('the list has the trusted devices first, and drops the weakest', async () => {
  await begin();
  for (let number = 0; number < 300; number++) {
    const device = fakeDevice(number, { rssi: -100 + (number % 90) });
    radio.devices.set(device.id, device);
  }
  const known = fakeDevice(1000, { paired: true, trusted: true, rssi: null });
  radio.devices.set(known.id, known);
  const list = service.devices();
  assert.equal(list.length, MAX_DEVICES);
  assert.equal(list[0]?.address, known.address);
  const weakest = Math.min(...list.map(({ rssi }) => rssi ?? 0));
  const dropped = [...radio.devices.values()].filter(
    ({ address }) => !list.some((each) => each.address === address),
  );
  assert.ok(dropped.every(({ rssi }) => (rssi ?? 0) <= weakest));
});

test('pairing opens the adapter for one device, shows its number, trusts and connects it', async () => {
  await begin();
  const shown: (Pairing | null)[] = [];
  service.onPairing((pairing) => shown.push(pairing));
  const keyboard = fakeDevice(1, { icon: 'input-keyboard' });
  const { id, address, name } = keyboard;
  radio.devices.set(id, keyboard);
  radio.devices.set('other', fakeDevice(2));
  radio.calls.length = 0;
  radio.whilePairing = async () => {
    const adapter = ADAPTER;
    assert.equal(radio.adapter?.pairable, true);
    assert.equal(
      radio.agent?.answer({ kind: 'display', adapter, device: id, passkey: '012345' }).accepted,
      true,
    );
    assert.equal(radio.agent?.answer({ kind: 'service', adapter, device: id, profile: HID }).accepted, true);
    assert.deepEqual(service.get().pairing, { address, name, passkey: '012345' });
    await fails(service.pair(fakeDevice(2).address), 'conflict');
    settings = { ...settings, discoverable: true };
    radio.agent?.answer({ kind: 'display', adapter, device: 'other', passkey: '999999' });
    settings = { ...settings, discoverable: false };
    assert.equal(service.get().pairing?.passkey, '012345', 'of the device that was asked for');
  };
  const paired = await service.pair(address);
  assert.deepEqual([paired.paired, paired.trusted], [true, true]);
  assert.deepEqual(radio.calls, ['pairable true', 'pair', 'trust', 'connect', 'pairable false']);
  assert.deepEqual(shown, [{ address, name, passkey: null }, { address, name, passkey: '012345' }, null]);
  assert.equal(
    radio.agent?.answer({ kind: 'service', adapter: ADAPTER, device: id, profile: HID }).accepted,
    false,
  );

  radio.refused.set('pair', 'The device rejected the pairing.');
  radio.change('other', {});
  await fails(service.pair(fakeDevice(2).address), 'unavailable', /rejected/);
  assert.deepEqual([service.get().pairing, radio.adapter?.pairable], [null, false]);
  await fails(service.pair('00:00:00:00:00:00'), 'not_found');
  await fails(service.remove('00:00:00:00:00:00'), 'not_found');
  assert.deepEqual(
    (await service.remove(address)).map((device) => device.address),
    [fakeDevice(2).address],
  );
});

test('a stranger that is connected is disconnected; while discoverable, when it has paired', async () => {
  await begin();
  const stranger = fakeDevice(1);
  radio.devices.set(stranger.id, stranger);
  const disconnects = () => radio.calls.filter((call) => call.startsWith('disconnect')).length;
  radio.change(stranger.id, { connected: true });
  await settle();
  assert.equal(disconnects(), 1);
  // The daemon does not wait for this answer, and the pairing would go on.
  radio.agent?.answer({ kind: 'display', adapter: ADAPTER, device: stranger.id, passkey: '1' });
  await settle();
  assert.equal(disconnects(), 2);
  const refused = `disconnect ${stranger.id}`;
  radio.refused.set(refused, 'Busy.');
  radio.change(stranger.id, { connected: true });
  await settle();
  radio.refused.clear();
  await elapse(2000);
  assert.deepEqual([disconnects(), radio.devices.get(stranger.id)?.connected], [4, false], 'tried again');

  settings = { ...settings, discoverable: true };
  await service.apply();
  radio.change(stranger.id, { connected: true });
  await settle();
  assert.equal(disconnects(), 4);
  radio.agent?.answer({ kind: 'confirm', adapter: ADAPTER, device: stranger.id, passkey: '000007' });
  assert.equal(service.get().pairing?.passkey, '000007');
  radio.change(stranger.id, { paired: true });
  await settle();
  assert.equal(disconnects(), 5);
  assert.equal(service.get().pairing, null);

  for (let number = 2; number < 22; number++) {
    const device = fakeDevice(number, { paired: true });
    radio.devices.set(device.id, device);
  }
  const answer = radio.agent?.answer({ kind: 'authorize', adapter: ADAPTER, device: `${ADAPTER}/dev_new` });
  assert.equal(answer?.accepted, false, 'not without end');
});

test('strangers that begin to pair again and again get few numbers on the screen; the wanted device always', async () => {
  await begin();
  settings = { ...settings, discoverable: true };
  await service.apply();
  const ask = (device: string) =>
    radio.agent?.answer({ kind: 'display', adapter: ADAPTER, device, passkey: '000007' }).accepted;
  const strangers = [1, 1, 1, 1, 2, 3, 4, 5].map((number) => fakeDevice(number));
  for (const each of strangers) radio.devices.set(each.id, each);
  const answers = strangers.map(({ id }) => ask(id));
  assert.deepEqual(answers, [true, true, true, true, true, true, false, false]);
  const wanted = fakeDevice(9);
  radio.devices.set(wanted.id, wanted);
  radio.whilePairing = async () => assert.equal(ask(wanted.id), true);
  await service.pair(wanted.address);
});

test('events carry the latest state, four times a second at most, and none while the endpoints are closed', async () => {
  await begin();
  await elapse(0);
  assert.equal(events.length, 1);
  const device = fakeDevice(1);
  radio.devices.set(device.id, device);
  for (let change = 0; change < 2000; change++) {
    radio.change(device.id, { rssi: -90 + (change % 60) });
    if (change % 200 === 0) await elapse(100);
  }
  await elapse(250);
  assert.ok(events.length >= 3 && events.length <= 6, `${events.length} events`);
  assert.equal(events.at(-1)?.devices[0]?.rssi, -90 + (1999 % 60));
  const { length } = events;
  radio.changed();
  await elapse(1000);
  assert.equal(events.length, length, 'nothing has changed');
  isOpen = false;
  radio.change(device.id, { rssi: -1 });
  await elapse(1000);
  assert.equal(events.length, length);
  isOpen = true;
  await elapse(500);
  assert.equal(events.at(-1)?.devices[0]?.rssi, -1);
  settings = { ...settings, enabled: false };
  await service.apply();
  radio.change(device.id, { rssi: -2 });
  await elapse(1000);
  assert.equal(events.length, length + 1);
});
