import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { FakeWifiRadio, joinedLink } from '../../../../testing/fake-wifi-radio.ts';
import { createLogger } from '../../base/logger.ts';
import { EventBus } from '../../events/bus.ts';
import type { Settings } from './setup.ts';
import { Wifi, type WifiStatus } from './wifi.ts';

const SETTINGS: Settings = {
  ...{ enabled: true, mode: 'station', country: 'DE', deviceName: 'Lobby' },
  networks: [{ ssid: 'home', psk: 'passphrase', priority: 1 }],
  ap: { ssid: null, psk: 'passphrase', band: '2.4', channel: 6 },
};

/** @param runs the service was left running */
function setUp(t: TestContext, change: Partial<Settings> = {}, runs = false) {
  let settings: Settings = { ...SETTINGS, ...change };
  const addresses = ['192.168.9.49', 'fe80::1'];
  const radio = new FakeWifiRadio();
  radio.runs = runs;
  const bus = new EventBus();
  const events: WifiStatus[] = [];
  bus.listen('wifi_changed', ({ payload }) => events.push(payload as WifiStatus));
  let recovered = 0;
  const wifi = new Wifi({
    ...{ radio, bus, log: createLogger('silent'), onAccessPoint: () => undefined },
    recovered: () => {
      recovered += 1;
    },
    settings: () => settings,
    addresses: () => addresses,
  });
  wifi.start();
  t.after(() => wifi.stop());
  const configure = (next: Partial<Settings>) => {
    settings = { ...settings, ...next };
    return wifi.apply();
  };
  const store = (next: Partial<Settings>) => {
    settings = { ...settings, ...next };
  };
  return { wifi, radio, events, configure, store, recovered: () => recovered };
}

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof Error && 'code' in error ? error.code : String(error)),
  );

test('joins what is configured; the status has the current signal, the event the last one', async (t) => {
  const { wifi, events } = setUp(t);
  await setImmediate();
  const { connection, error } = await wifi.get();
  assert.deepEqual([connection?.ssid, connection?.signal_dbm, error], ['home', -42, null]);
  assert.deepEqual(connection?.addresses, ['192.168.9.49', 'fe80::1']);
  assert.equal(events.at(-1)?.connection?.signal_dbm, -60);
});

test('publishes changes and scans, no repetition, and nothing while the endpoints are closed', async (t) => {
  const { radio, events, configure, wifi } = setUp(t);
  await setImmediate();
  const before = events.length;
  radio.emit({ type: 'link', link: { ...joinedLink('home'), signalDbm: -61 } as never });
  await setImmediate();
  assert.equal(events.length, before, 'the signal alone is no change');
  const scan = wifi.scan();
  await setImmediate();
  radio.endScan([]);
  await scan;
  assert.equal(events.length, before + 1);
  await configure({ enabled: false });
  assert.deepEqual([radio.runs, events.length], [false, before + 1]);
  radio.emit({ type: 'link', link: { phase: 'idle' } });
  await setImmediate();
  assert.equal(events.length, before + 1);
});

test('a patch is in effect when the radio has it, and has failed when the radio refuses it', async (t) => {
  const { radio, configure } = setUp(t);
  await configure({ networks: [] });
  assert.deepEqual(radio.setups.at(-1), { mode: 'station', country: 'DE', networks: [], only: undefined });
  radio.refused = 'no';
  await assert.rejects(configure({ country: 'FR' }), /no/);
  radio.interfaceName = undefined;
  await configure({ country: 'IT' });
});

test('a patch that the radio takes later is told then', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { radio, configure, recovered } = setUp(t);
  await setImmediate();
  radio.refused = 'busy';
  await assert.rejects(configure({ country: 'FR' }), /busy/);
  t.mock.timers.tick(2000);
  await setImmediate();
  assert.equal(recovered(), 0);
  radio.refused = undefined;
  t.mock.timers.tick(4000);
  await setImmediate();
  assert.equal(recovered(), 1);
});

test('what is stored counts before the radio has it: no event while disabled, no 404 for a new network', async (t) => {
  const { wifi, radio, events, store } = setUp(t);
  await setImmediate();
  store({ networks: [...SETTINGS.networks, { ssid: 'new', psk: '', priority: 0 }] });
  await wifi.connect('new');
  assert.equal((await wifi.get()).connection?.ssid, 'new');
  const before = events.length;
  store({ enabled: false });
  radio.emit({ type: 'link', link: { phase: 'searching' } });
  await setImmediate();
  assert.equal(events.length, before);
});

test('a service that an agent left running is stopped at the start while Wi-Fi is off', async (t) => {
  const { radio } = setUp(t, { enabled: false }, true);
  await setImmediate();
  assert.equal(radio.runs, false);
});

test('connect: the reason of a failure, and 404 for a network that is not configured', async (t) => {
  const { wifi, radio } = setUp(t);
  await setImmediate();
  assert.equal(await codeOf(wifi.connect('other')), 'not_found');
  radio.answer = () => ({ type: 'failed', code: 'wrong_passphrase' });
  await assert.rejects(wifi.connect('home'), {
    ...{ code: 'unavailable', details: { reason: 'wrong_passphrase' } },
    message: 'The passphrase of the network is wrong.',
  });
  radio.blocked = true;
  assert.equal(await codeOf(wifi.connect('home')), 'unavailable');
  assert.equal((await wifi.get()).error?.code, 'rfkill');
  assert.equal(await codeOf(wifi.scan()), 'unavailable');
});

test('a request that a later one replaces is a conflict', async (t) => {
  const { wifi, radio } = setUp(t);
  await setImmediate();
  radio.answer = () => undefined;
  const first = codeOf(wifi.connect('home'));
  await setImmediate();
  const second = codeOf(wifi.startAccessPoint({}));
  assert.equal(await first, 'conflict');
  radio.emit({ type: 'link', link: { phase: 'serving', frequencyMhz: 2437 } });
  assert.equal(await second, 'done');
});

test('the access point: its name, channel and stations; no scan and no connect meanwhile', async (t) => {
  const { wifi, radio } = setUp(t);
  await setImmediate();
  const { mode, access_point, connection } = await wifi.startAccessPoint({ channel: 11 });
  radio.emit({ type: 'stations', count: 3 });
  assert.deepEqual([mode, connection, access_point?.ssid], ['ap', null, 'Lobby']);
  assert.deepEqual((await wifi.get()).access_point?.stations, 3);
  assert.deepEqual(wifi.accessPoint, { ssid: 'Lobby', psk: 'passphrase' });
  assert.deepEqual(await Promise.all([codeOf(wifi.scan()), codeOf(wifi.connect('home'))]), [
    'conflict',
    'conflict',
  ]);
  assert.equal(radio.scans, 0);
  assert.equal((await wifi.stopAccessPoint()).mode, 'station');
  assert.equal(wifi.accessPoint, undefined);
});

test('a long device name is cut to a network name of 32 bytes, at a character', async (t) => {
  const { wifi } = setUp(t, { mode: 'ap', deviceName: 'ä'.repeat(20) });
  await setImmediate();
  assert.equal((await wifi.get()).access_point?.ssid, 'ä'.repeat(16));
});
