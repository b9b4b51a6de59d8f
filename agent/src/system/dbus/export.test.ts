/** An object of the agent that another service calls, as BlueZ calls its pairing agent. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { waitFor } from '../../../../testing/wait.ts';
import { createLogger } from '../../base/logger.ts';
import { BusDaemon, BusPeer, noDaemon as skip } from '../tests/bus.ts';
import { SystemBus } from './bus.ts';
import { type ExportedObject, MAX_OPEN_CALLS, method } from './export.ts';
import { BusError, type BusValue, integer, shaped, text } from './values.ts';

const log = createLogger('silent');
const daemon = new BusDaemon();
const { address } = daemon;
before(() => (skip ? undefined : daemon.start()));
after(() => daemon.remove());

const SERVICE = 'org.example.Bluez';
const AGENT = 'org.bluez.Agent1';
const register = { destination: SERVICE, path: '/org/bluez', interface: SERVICE, member: 'RegisterAgent' };

let confirmed: unknown[];
let answer: () => Promise<readonly BusValue[]> | readonly BusValue[];
beforeEach(() => {
  confirmed = [];
  answer = () => [];
});

/** As BlueZ's Agent1: `answer` confirms, and every call is noted. */
const agent = (more: Partial<ExportedObject> = {}): ExportedObject => ({
  ...{ path: '/agent', interface: AGENT, caller: SERVICE },
  methods: {
    RequestConfirmation: method(shaped(text, integer), (device, passkey) => {
      confirmed.push([device, passkey]);
      return answer();
    }),
    RequestPinCode: method(shaped(text), () => [['s', '1234']]),
  },
  ...more,
});

const confirm = (peer: BusPeer, us: string, path = '/agent') =>
  peer.call(us, [path, AGENT, 'RequestConfirmation'], 'ou', ['/dev', 123456]);
const fails = (call: Promise<unknown>, name: string) =>
  assert.rejects(call, { type: `org.freedesktop.DBus.Error.${name}` });

/** A service that knows our connection, as after RegisterAgent. */
async function pair(object = agent()) {
  const peer = await BusPeer.connect(address, SERVICE);
  const bus = new SystemBus({ log, address });
  const remove = bus.export(object);
  await bus.call(register);
  const us = peer.calls[0]?.sender ?? '';
  const end = async () => {
    await bus.stop();
    await peer.stop();
  };
  return { peer, bus, remove, us, end };
}

test('answers calls of the service with values, errors, and only while it is exported', {
  skip,
}, async () => {
  const { peer, remove, us, end } = await pair();
  assert.deepEqual(await confirm(peer, us), []);
  assert.deepEqual(confirmed, [['/dev', 123456]]);
  assert.deepEqual(await peer.call(us, ['/agent', AGENT, 'RequestPinCode'], 'o', ['/dev']), ['1234']);

  answer = async () => {
    throw new BusError('org.bluez.Error.Rejected', 'not now');
  };
  await assert.rejects(confirm(peer, us), { type: 'org.bluez.Error.Rejected', text: 'not now' });
  answer = () => {
    throw new Error('a bug with a secret in it');
  };
  await assert.rejects(confirm(peer, us), { type: /\.Failed$/, text: 'The method failed.' });

  await fails(peer.call(us, ['/agent', AGENT, 'toString']), 'UnknownMethod');
  await fails(peer.call(us, ['/agent', 'org.bluez.Other', 'RequestPinCode']), 'UnknownMethod');
  await fails(confirm(peer, us, '/other'), 'UnknownMethod');
  await fails(peer.call(us, ['/', 'org.freedesktop.DBus.Introspectable', 'Introspect']), 'UnknownMethod');
  await fails(peer.call(us, ['/agent', AGENT, 'RequestConfirmation'], 's', ['/dev']), 'InvalidArgs');
  await fails(peer.call(us, ['/agent', AGENT, 'RequestConfirmation'], 'os', ['/dev', 'x']), 'InvalidArgs');
  assert.equal(confirmed.length, 3);

  remove();
  await fails(confirm(peer, us), 'UnknownMethod');
  await end();
});

test('another process may not call it', { skip }, async () => {
  const { us, end } = await pair();
  const other = await BusPeer.connect(address);
  await fails(confirm(other, us), 'AccessDenied');
  assert.deepEqual(confirmed, []);
  await end();
  await other.stop();
});

test('a method that takes too long is answered, and only so many run at a time', { skip }, async () => {
  const { promise, resolve } = Promise.withResolvers<readonly BusValue[]>();
  answer = () => promise;
  const { peer, remove, us, end } = await pair(agent({ timeoutMs: 300 }));
  const open = Array.from({ length: MAX_OPEN_CALLS }, () => confirm(peer, us));
  const late = open.map((call) => fails(call, 'NoReply'));
  await fails(confirm(peer, us), 'LimitsExceeded');
  await Promise.all(late);
  await fails(confirm(peer, us), 'LimitsExceeded');
  resolve([]);
  assert.deepEqual(await waitFor(() => confirm(peer, us), { timeoutMs: 60_000, what: 'a free place' }), []);

  const gate = Promise.withResolvers<readonly BusValue[]>();
  answer = () => {
    remove();
    return gate.promise;
  };
  const last = confirm(peer, us);
  await fails(confirm(peer, us), 'UnknownMethod');
  gate.resolve([]);
  assert.deepEqual(await last, []);
  await fails(confirm(peer, us), 'UnknownMethod');
  await end();
});

test('can be registered again when the service or the bus has restarted', { skip }, async () => {
  const bus = new SystemBus({ log, address });
  bus.export(agent());
  bus.watch(SERVICE, (owner) => {
    if (owner) bus.call(register).catch(() => undefined);
  });
  for (const restart of [() => undefined, () => daemon.stop().then(() => daemon.start())]) {
    await restart();
    const peer = await BusPeer.connect(address, SERVICE);
    const us = await waitFor(() => peer.calls[0]?.sender, { timeoutMs: 60_000, what: 'the registration' });
    assert.deepEqual(await confirm(peer, us), []);
    await peer.stop();
  }
  const peer = await BusPeer.connect(address, SERVICE);
  await waitFor(() => peer.calls.length === 1, { timeoutMs: 60_000, what: 'the registration' });
  await bus.stop();
  await peer.stop();
});
