import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  bandOf,
  barsOf,
  carriesPage,
  groupNetworks,
  isFailureCode,
  isSupported,
  type ScannedNetwork,
} from './wifi-words.ts';

const seen = (
  ssid: string,
  signal_dbm: number,
  security: ScannedNetwork['security'] = 'wpa2',
  frequency_mhz = 2412,
): ScannedNetwork => ({ ssid, bssid: '02:00:00:00:00:01', signal_dbm, frequency_mhz, security });

test('access points of a network are one entry, the strongest first', () => {
  const { networks, hidden } = groupNetworks([
    seen('shop', -80),
    seen('', -50),
    seen('guests', -60, 'open'),
    seen('shop', -48, 'wpa2', 5180),
    seen('shop', -40, 'open'),
  ]);
  assert.equal(hidden, 1);
  assert.deepEqual(networks, [
    { ssid: 'shop', security: 'open', signalDbm: -40, bands: ['2.4'] },
    { ssid: 'shop', security: 'wpa2', signalDbm: -48, bands: ['2.4', '5'] },
    { ssid: 'guests', security: 'open', signalDbm: -60, bands: ['2.4'] },
  ]);
});

test('signals, bands and what can be joined', () => {
  assert.deepEqual([-30, -55, -56, -67, -75, -90].map(barsOf), [4, 4, 3, 3, 2, 1]);
  assert.deepEqual([2484, 5180, 5885, 5955].map(bandOf), ['2.4', '5', '5', '6']);
  const kinds = ['open', 'wep', 'wpa2', 'wpa3', 'enterprise'] as const;
  assert.deepEqual(kinds.map(isSupported), [true, false, true, true, false]);
  assert.deepEqual(['rfkill', 'toString', 1].map(isFailureCode), [true, false, false]);
});

test('the page goes over Wi-Fi if it was opened by an address of the connection', () => {
  const connection = {
    ...{ ssid: 'shop', bssid: '02:00:00:00:00:01', signal_dbm: -50, frequency_mhz: 2412 },
    addresses: ['192.168.9.4', 'fd00::1'],
  };
  assert.ok(carriesPage({ connection }, '192.168.9.4'));
  assert.ok(carriesPage({ connection }, '[fd00::1]'));
  assert.ok(!carriesPage({ connection }, '10.55.77.1'));
  assert.ok(!carriesPage({ connection: null }, '192.168.9.4'));
});
