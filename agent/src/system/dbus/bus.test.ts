/** Method calls on a real bus. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { queryObjects } from 'node:v8';
import dbusNext from 'dbus-next';
import { createLogger } from '../../base/logger.ts';
import { BusDaemon, BusPeer, noDaemon as skip } from '../tests/bus.ts';
import { SystemBus } from './bus.ts';
import { MAX_PENDING_CALLS } from './connection.ts';
import { type BusValue, listOf, shaped, text } from './values.ts';

const log = createLogger('silent');
const daemon = new BusDaemon();
const { address } = daemon;
before(() => (skip ? undefined : daemon.start()));
after(() => daemon.remove());

const DRIVER = { destination: 'org.freedesktop.DBus', path: '/org/freedesktop/DBus' };
const getId = { ...DRIVER, interface: 'org.freedesktop.DBus', member: 'GetId' };
const NAME = 'org.example.Service';
const echo = { destination: NAME, path: '/a', interface: NAME, member: 'Echo' };

test('calls a method, and nothing after it was stopped', { skip }, async () => {
  const bus = new SystemBus({ log, address });
  const [id] = shaped(text)(await bus.call(getId));
  assert.match(id, /^[0-9a-f]{32}$/);
  await bus.stop();
  await assert.rejects(bus.call(getId), { errorName: 'vitrine.Disconnected' });
});

test('passes on the name of an error', { skip }, async () => {
  const bus = new SystemBus({ log, address });
  await assert.rejects(bus.call({ ...getId, member: 'Nothing' }), {
    name: 'BusError',
    errorName: 'org.freedesktop.DBus.Error.UnknownMethod',
  });
  await bus.stop();
});

test('sends every type, receives values without variants', { skip }, async () => {
  const { Variant } = dbusNext;
  const peer = await BusPeer.connect(address, NAME, ({ signature, body }) => [signature, ...body]);
  const bus = new SystemBus({ log, address });
  const bytes = Buffer.from([0, 255]);
  const args: [BusValue, unknown, unknown?][] = [
    [['s', 'é'], 'é'],
    [['o', '/a/b_1'], '/a/b_1'],
    [['b', false], false],
    [['y', 255], 255],
    [['i', -1], -1],
    [['t', 2n ** 64n - 1n], 2n ** 64n - 1n],
    [['d', 0.5], 0.5],
    [['ay', bytes], bytes],
    [
      ['as', ['a', 'b']],
      ['a', 'b'],
    ],
    [['ao', ['/']], ['/']],
    [['aay', [bytes]], [bytes]],
    [['v', ['v', ['u', 7]]], 7, new Variant('v', new Variant('u', 7))],
    [
      ['a{sv}', { signature: ['s', 'x'], value: ['q', 1], inner: ['a{sv}', { on: ['b', true] }] }],
      { signature: 'x', value: 1, inner: { on: true } },
      {
        signature: new Variant('s', 'x'),
        value: new Variant('q', 1),
        inner: new Variant('a{sv}', { on: new Variant('b', true) }),
      },
    ],
  ];
  assert.deepEqual(
    await bus.call({ ...echo, args: args.map(([sent]) => sent) }),
    args.map(([, received]) => received),
  );
  assert.deepEqual(
    peer.calls[0]?.body,
    args.map(([, received, seen = received]) => seen),
  );
  for (const path of ['', 'a', '/a/', '//', '/a-b', '/a\n']) {
    await assert.rejects(bus.call({ ...echo, args: [['o', path]] }), /not a D-Bus object path/);
    await assert.rejects(bus.call({ ...echo, args: [['ao', [path]]] }), /not a D-Bus object path/);
  }
  await bus.stop();
  await peer.stop();
});

test('refuses a reply of another type or number of arguments', { skip }, async () => {
  const peer = await BusPeer.connect(address, NAME);
  const bus = new SystemBus({ log, address });
  const expected = shaped(listOf(text));
  const replies = [['s', 'text'], ['au', [1]], ['asas', ['a'], ['b']], [''], ['a{sv}', {}]] as const;
  for (const [signature, ...args] of replies) {
    peer.answer = () => [signature, ...args];
    await assert.rejects(bus.call(echo).then(expected), { errorName: 'vitrine.BadReply' });
  }
  peer.answer = () => ['as', ['a']];
  assert.deepEqual(expected(await bus.call(echo)), [['a']]);
  await bus.stop();
  await peer.stop();
});

test('fails in time when there is no bus', async () => {
  const bus = new SystemBus({ log, address: `${address}-none` });
  await assert.rejects(bus.call(getId), { errorName: 'vitrine.Disconnected' });
  await bus.stop();
});

test('a service that never answers costs its own calls only', { skip }, async () => {
  const peer = await BusPeer.connect(address, NAME, () => undefined);
  const bus = new SystemBus({ log, address });
  await assert.rejects(bus.call({ ...echo, timeoutMs: 20 }), { errorName: 'vitrine.Timeout' });
  const waiting = Array.from({ length: MAX_PENDING_CALLS }, () => bus.call(echo));
  const settled = Promise.allSettled(waiting);
  await assert.rejects(bus.call(echo), { errorName: 'vitrine.Busy' });
  await bus.call(getId);
  await peer.stop();
  const ends = await settled;
  assert.ok(
    ends.every((end) => end.status === 'rejected' && end.reason.errorName.endsWith('.NoReply')),
    'the bus answers for a service that has left',
  );
  await bus.stop();
});

test('leaves nothing of a call behind', { skip }, async () => {
  const bus = new SystemBus({ log, address });
  const promisesAfter = async (calls: number) => {
    for (let call = 0; call < calls; call++) await bus.call(getId);
    return queryObjects(Promise, { format: 'count' });
  };
  const few = await promisesAfter(10);
  const more = (await promisesAfter(200)) - few;
  assert.ok(more < 20, `${more} promises more`);
  await bus.stop();
});

test('fails a waiting call when the bus goes away', { skip }, async () => {
  const bus = new SystemBus({ log, address });
  await bus.call(getId);
  daemon.freeze();
  const failed = assert.rejects(bus.call(getId), { errorName: 'vitrine.Disconnected' });
  await daemon.stop('SIGKILL');
  await failed;
  await daemon.start();
  await bus.stop();
});

test('refuses to queue more than the bus reads', { skip }, async () => {
  const bus = new SystemBus({ log, address });
  await bus.call(getId);
  daemon.freeze();
  const large = { ...echo, args: [['s', 'x'.repeat(500_000)] as const] };
  const calls = Promise.allSettled(Array.from({ length: 10 }, () => bus.call(large)));
  await assert.rejects(bus.call(getId), { errorName: 'vitrine.Busy' });
  await daemon.stop('SIGKILL');
  await calls;
  await daemon.start();
  await bus.stop();
});
