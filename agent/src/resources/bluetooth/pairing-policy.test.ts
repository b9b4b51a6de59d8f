/** Who may pair and connect, as a table. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerTo, mayStayConnected, type PairingFacts } from './pairing-policy.ts';
import type { PairingRequest } from './ports.ts';

const HID = '00001124-0000-1000-8000-00805f9b34fb';
const HID_OVER_GATT = '00001812-0000-1000-8000-00805f9b34fb';
const FILES = '00001106-0000-1000-8000-00805f9b34fb';
const PAIRED = '/org/bluez/hci0/dev_1';
const STRANGER = '/org/bluez/hci0/dev_2';

const closed: PairingFacts = { adapter: '/org/bluez/hci0', discoverable: false, pairing: undefined };
const pairing = { ...closed, pairing: PAIRED };
const discoverable = { ...closed, discoverable: true };

type Kind = PairingRequest['kind'];
const ask = (kind: Kind, device: string, facts: PairingFacts, profile = HID, adapter = '/org/bluez/hci0') =>
  // One object for all kinds: the other fields are not read.
  answerTo({ kind, device, adapter, passkey: '123456', profile }, facts, () => '000042');

/** By kind: while closed; the device that is paired, and another one, while it is paired; while discoverable. */
const TABLE: Record<Kind, [closed: boolean, itself: boolean, other: boolean, discoverable: boolean]> = {
  authorize: [false, true, false, true],
  confirm: [false, true, false, true],
  display: [false, true, false, true],
  choose_pin: [false, true, false, false],
  type_passkey: [false, false, false, false],
  service: [false, true, false, false],
};

for (const kind of Object.keys(TABLE).filter((name): name is Kind => name in TABLE)) {
  test(kind, () => {
    const cases: [device: string, facts: PairingFacts][] = [
      [STRANGER, closed],
      [PAIRED, pairing],
      [STRANGER, pairing],
      [STRANGER, discoverable],
    ];
    assert.deepEqual(
      cases.map(([device, facts]) => ask(kind, device, facts).accepted),
      TABLE[kind],
    );
    const open = { ...pairing, discoverable: true };
    assert.equal(ask(kind, PAIRED, open, HID, '/org/bluez/hci1').accepted, false, 'of another adapter');
    assert.equal(ask(kind, PAIRED, { ...open, adapter: undefined }).accepted, false, 'without an adapter');
  });
}

test('only input profiles may connect, and the agent chooses the PIN', () => {
  assert.equal(ask('service', PAIRED, pairing, HID_OVER_GATT).accepted, true);
  assert.equal(ask('service', PAIRED, { ...pairing, discoverable: true }, FILES).accepted, false);
  assert.deepEqual(ask('choose_pin', PAIRED, pairing), { accepted: true, pin: '000042' });
});

test('a device that nobody trusts stays connected only to pair', () => {
  const may = (facts: PairingFacts, device: { trusted?: boolean; paired?: boolean } = {}, id = STRANGER) =>
    mayStayConnected({ id, trusted: false, paired: false, ...device }, facts);
  assert.deepEqual([may(closed), may(pairing), may(discoverable)], [false, false, true]);
  assert.equal(may(pairing, {}, PAIRED), true);
  assert.equal(may(discoverable, { paired: true }), false, 'it has paired by itself');
  assert.equal(may(closed, { trusted: true, paired: true }), true);
});
