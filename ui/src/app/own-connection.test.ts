import assert from 'node:assert/strict';
import { test } from 'node:test';
import { interfaceKind, isLinkLocal, ownConnection } from './own-connection.ts';

const INTERFACES = [
  { name: 'gadget0', addresses: ['10.55.201.197', 'fd00::1'] },
  { name: 'wlan0', addresses: ['192.168.9.4'] },
];

test('the own interface is known by the address of the page, or since only one can be', () => {
  assert.deepEqual(ownConnection('10.55.77.1', INTERFACES), { kind: 'interface', name: 'gadget0' });
  assert.deepEqual(ownConnection('10.55.201.197', INTERFACES), { kind: 'interface', name: 'gadget0' });
  assert.deepEqual(ownConnection('[FD00::1]', INTERFACES), { kind: 'interface', name: 'gadget0' });
  assert.deepEqual(ownConnection('192.168.9.4', INTERFACES), { kind: 'interface', name: 'wlan0' });
  assert.deepEqual(ownConnection('vitrine.local', INTERFACES), { kind: 'interface', name: 'gadget0' });
  const ethernet = { name: 'eth0', addresses: ['192.168.1.5'] };
  assert.deepEqual(ownConnection('vitrine.local', [ethernet]), { kind: 'unknown' });
  assert.deepEqual(ownConnection('10.55.77.2', INTERFACES), { kind: 'unknown' });
  for (const name of ['localhost', '127.0.0.1', '[::1]']) {
    assert.deepEqual(ownConnection(name, INTERFACES), { kind: 'loopback' });
  }
});

test('interfaces are told apart by their names, and addresses without a router by their ranges', () => {
  const names = ['gadget0', 'cable0', 'eth0', 'enp3s0', 'usb0', 'wlan0', 'wlx00c0ca', 'wwan0', 'docker0'];
  assert.deepEqual(names.map(interfaceKind), [
    ...['cable', 'cable', 'ethernet', 'ethernet', 'ethernet', 'wifi', 'wifi', 'modem', 'virtual'],
  ]);
  assert.deepEqual(['fe80::1', '169.254.3.4', 'fd00::1', '10.0.0.1'].map(isLinkLocal), [
    ...[true, true, false, false],
  ]);
});
