/** Signals, services that restart and the end of the connection, on a real bus. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { pino } from 'pino';
import { waitFor } from '../../../../testing/wait.ts';
import { createLogger } from '../../base/logger.ts';
import { BusDaemon, BusPeer, noDaemon as skip } from '../tests/bus.ts';
import { type IncomingMessage, SystemBus } from './bus.ts';
import { BusError } from './values.ts';

const log = createLogger('silent');
const daemon = new BusDaemon();
const { address } = daemon;
before(() => (skip ? undefined : daemon.start()));
after(() => daemon.remove());

const DRIVER = { destination: 'org.freedesktop.DBus', path: '/org/freedesktop/DBus' };
const getId = { ...DRIVER, interface: 'org.freedesktop.DBus', member: 'GetId' };
const NAME = 'org.example.Service';
const echo = { destination: NAME, path: '/a', interface: NAME, member: 'Echo' };
const pulse = { sender: NAME, path: '/a', interface: NAME, member: 'Pulse' };

const until = (what: string, condition: () => boolean) =>
  waitFor(condition, { timeoutMs: 60_000, intervalMs: 5, what });

/** Has a peer send until the listener has received something. */
async function heardFrom(peer: BusPeer, signals: IncomingMessage[], path = '/a'): Promise<void> {
  const { length } = signals;
  await until('a signal', () => {
    peer.emit([path, NAME, 'Pulse'], 's', ['x']);
    return signals.length > length;
  });
}

test('receives signals again after the service or the bus has restarted', { skip }, async () => {
  const bus = new SystemBus({ log, address });
  const signals: IncomingMessage[] = [];
  const owners: (string | undefined)[] = [];
  bus.watch(NAME, (owner) => owners.push(owner));
  bus.subscribe(pulse, (signal) => signals.push(signal));
  await until('the owner is known', () => owners.length === 1);
  assert.deepEqual(owners, [undefined], 'the service does not run yet');

  const first = await BusPeer.connect(address, NAME);
  await heardFrom(first, signals);
  const { sender, args } = signals[0] ?? assert.fail();
  assert.deepEqual([sender, args], [owners[1], ['x']]);
  await first.stop();
  await until('the service has left', () => owners.length === 3);
  const second = await BusPeer.connect(address, NAME);
  await heardFrom(second, signals);
  assert.equal(owners.length, 4);

  await daemon.stop();
  await until('the loss is reported', () => owners.length === 5);
  await daemon.start();
  const third = await BusPeer.connect(address, NAME);
  await heardFrom(third, signals);
  assert.deepEqual(
    owners.map((owner) => owner !== undefined),
    [false, true, false, true, false, ...owners.slice(5, -1).map(() => false), true],
  );
  const late: (string | undefined)[] = [];
  bus.watch(NAME, (owner) => late.push(owner));
  assert.deepEqual(late, owners.slice(-1), 'a later watcher learns at once what is known');
  await bus.stop();
  await third.stop();
});

test('learns the owner of a service that starts at the same moment', { skip }, async () => {
  const bus = new SystemBus({ log, address });
  const peer = await BusPeer.connect(address);
  const owners: (string | undefined)[] = [];
  await bus.call(getId);
  daemon.freeze();
  bus.watch(NAME, (owner) => owners.push(owner));
  const owned = peer.own(NAME);
  daemon.thaw();
  await owned;
  await bus.call(getId);
  await until('the owner is known', () => owners.length > 0);
  assert.notEqual(owners.at(-1), undefined);
  await bus.stop();
  await peer.stop();
});

test('subscribes although a call finds no bus at that moment', { skip }, async () => {
  await daemon.stop();
  const bus = new SystemBus({ log, address });
  const failed = assert.rejects(bus.call(getId), BusError);
  const signals: IncomingMessage[] = [];
  bus.subscribe(pulse, (signal) => signals.push(signal));
  await failed;
  await daemon.start();
  const peer = await BusPeer.connect(address, NAME);
  await heardFrom(peer, signals);
  await bus.stop();
  await peer.stop();
});

test('passes a signal to the subscriptions that match it only', { skip }, async () => {
  const peer = await BusPeer.connect(address, NAME);
  const bus = new SystemBus({ log, address });
  const heard: string[] = [];
  const note = (subscription: string) => (signal: IncomingMessage) =>
    heard.push(`${subscription} ${signal.path} ${signal.args[0]}`);
  const { path: _, ...anywhere } = pulse;
  const end = bus.subscribe({ ...anywhere, pathNamespace: '/a' }, note('below'));
  bus.subscribe({ ...anywhere, pathNamespace: '/' }, () => {
    throw new Error('a listener that fails');
  });
  bus.subscribe({ ...anywhere, pathNamespace: '/b' }, note('other'));
  bus.subscribe({ ...pulse, member: 'Other' }, note('member'));
  bus.subscribe({ ...pulse, interface: 'org.example.Other' }, note('interface'));
  bus.subscribe(pulse, note('path'));
  await bus.call(getId);
  for (const path of ['/', '/ab', '/a/b/c', '/a']) peer.emit([path, NAME, 'Pulse'], 's', ['x']);
  peer.emit(['/b', NAME, 'Pulse'], 's', ['end']);
  await until('the last signal', () => heard.length === 4);
  assert.deepEqual(heard, ['below /a/b/c x', 'below /a x', 'path /a x', 'other /b end']);
  end();
  end();
  peer.emit(['/a', NAME, 'Pulse'], 's', ['end']);
  await until('the next signal', () => heard.length === 5);
  assert.deepEqual(heard.slice(4), ['path /a end']);
  await bus.stop();
  await peer.stop();
});

test('ignores a signal that another process sends in the name of a service', { skip }, async () => {
  const peer = await BusPeer.connect(address, NAME);
  const liar = await BusPeer.connect(address);
  const bus = new SystemBus({ log, address });
  const signals: IncomingMessage[] = [];
  bus.subscribe(pulse, (signal) => signals.push(signal));
  await bus.call(echo);
  const us = peer.calls[0]?.sender ?? '';
  // Signals to one connection are delivered without a match.
  liar.emit(['/a', NAME, 'Pulse'], 's', ['lie'], us);
  const taken = ['sss', [NAME, '', ':1.999']] as const;
  liar.emit([DRIVER.path, DRIVER.destination, 'NameOwnerChanged'], taken[0], [...taken[1]], us);
  // The bus passes messages on in the order in which it gets them.
  await liar.call(DRIVER.destination, [DRIVER.path, DRIVER.destination, 'GetId']);
  peer.emit(['/a', NAME, 'Pulse'], 's', ['truth'], us);
  await until('the real signal', () => signals.length > 0);
  assert.deepEqual(
    signals.map(({ args }) => args[0]),
    ['truth'],
  );
  await bus.stop();
  await Promise.all([peer.stop(), liar.stop()]);
});

test('stops without a warning, and closes its connection', { skip }, async () => {
  const lines: string[] = [];
  const bus = new SystemBus({ log: pino({ level: 'warn' }, { write: (line) => lines.push(line) }), address });
  const peer = await BusPeer.connect(address, NAME);
  const ends = [bus.subscribe(pulse, () => undefined), bus.watch(NAME, () => undefined)];
  await bus.call(echo);
  const us = peer.calls[0]?.sender ?? '';
  for (const end of [...ends, ...ends]) end();
  await bus.call(getId);
  await bus.stop();
  const names = () => peer.call(DRIVER.destination, [DRIVER.path, DRIVER.destination, 'ListNames']);
  assert.ok(!String((await names())[0]).includes(us));
  const next = new SystemBus({
    log: pino({ level: 'warn' }, { write: (line) => lines.push(line) }),
    address,
  });
  await next.call(getId);
  next.subscribe(pulse, () => undefined);
  await Promise.all([daemon.stop(), next.stop()]);
  assert.deepEqual(lines, []);
  await daemon.start();
});
