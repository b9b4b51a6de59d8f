import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groupsOf, kindOf, nameOf, signalOf } from './devices.ts';
import type { RemoteDevice } from './state.ts';

function device(number: number, more: Partial<RemoteDevice> = {}): RemoteDevice {
  return {
    address: `AA:BB:CC:DD:EE:0${number}`,
    ...{ name: `Device ${number}`, paired: false, connected: false, trusted: false, rssi: -50, icon: null },
    ...more,
  };
}

const names = (devices: readonly RemoteDevice[]) => devices.map(nameOf);

test('paired devices come by name, others by nearness, those without a name apart', () => {
  const { known, found, unnamed } = groupsOf([
    device(1, { rssi: -90 }),
    device(2, { paired: true, rssi: null, name: 'Zebra' }),
    device(3, { rssi: -70, name: 'b' }),
    device(4, { rssi: -62, name: 'a' }),
    device(5, { trusted: true, name: 'Apple' }),
    device(6, { name: null }),
    device(7, { rssi: -60 }),
  ]);
  assert.deepEqual(names(known), ['Apple', 'Zebra']);
  assert.deepEqual(names(found), ['Device 7', 'a', 'b', 'Device 1']);
  assert.deepEqual(names(unnamed), ['AA:BB:CC:DD:EE:06']);
});

test('the order stays while the strength varies a little', () => {
  const order = (a: number, b: number) =>
    names(groupsOf([device(1, { rssi: a }), device(2, { rssi: b })]).found);
  assert.deepEqual(order(-50, -55), order(-55, -50));
});

test('a signal has a word', () => {
  const words = [-30, -60, -61, -75, -76, null].map((rssi) => signalOf({ rssi }));
  assert.deepEqual(words, ['strong', 'strong', 'medium', 'medium', 'weak', 'none']);
});

test('a name cannot turn or push aside the text around it', () => {
  const named = (name: string | null) => nameOf({ name, address: 'AA:BB:CC:DD:EE:FF' });
  assert.equal(named('a\u202eb\u0007'), 'a b');
  assert.equal(named('😀'.repeat(100)), '😀'.repeat(60));
  for (const name of [null, '', ' \u200f ']) assert.equal(named(name), 'AA:BB:CC:DD:EE:FF');
});

test('a kind that is not known is "unknown"', () => {
  assert.equal(kindOf({ icon: 'input-keyboard' }), 'keyboard');
  for (const icon of [null, 'constructor', 'scanner']) assert.equal(kindOf({ icon }), 'unknown');
});
