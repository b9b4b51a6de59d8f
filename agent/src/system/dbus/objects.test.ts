/** A live copy of another service's objects, on a real bus. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import dbusNext from 'dbus-next';
import { waitFor } from '../../../../testing/wait.ts';
import { createLogger } from '../../base/logger.ts';
import { BusDaemon, BusPeer, noDaemon as skip } from '../tests/bus.ts';
import { SystemBus } from './bus.ts';
import { MAX_OBJECTS, ManagedObjects, type ManagedObjectsOptions } from './objects.ts';

const log = createLogger('silent');
const daemon = new BusDaemon();
const { address } = daemon;
before(() => (skip ? undefined : daemon.start()));
after(() => daemon.remove());

const SERVICE = 'org.example.Bluez';
const ADAPTER = `${SERVICE}.Adapter1`;
const DEVICE = `${SERVICE}.Device1`;
const MANAGER = 'org.freedesktop.DBus.ObjectManager';
const PROPERTIES = 'org.freedesktop.DBus.Properties';
const { Variant } = dbusNext;

const until = (what: string, condition: () => boolean) =>
  waitFor(condition, { timeoutMs: 60_000, intervalMs: 5, what });

type Tree = Record<string, Record<string, Record<string, unknown>>>;
const connected = (): Tree => ({
  '/hci0': { [ADAPTER]: { Powered: new Variant('b', true) } },
  '/hci0/dev_1': { [DEVICE]: { RSSI: new Variant('n', -40), Alias: new Variant('s', 'one') } },
});
const service = (tree: Tree) => BusPeer.connect(address, SERVICE, () => ['a{oa{sa{sv}}}', tree]);

function follow(options: Partial<ManagedObjectsOptions> = {}) {
  const bus = new SystemBus({ log, address });
  const objects = new ManagedObjects({ bus, log, service: SERVICE, ...options });
  const events: string[] = [];
  objects.on(['loaded', 'lost'], ({ event }) => events.push(event));
  objects.on(['added', 'removed'], ({ event, path: where, interfaces }) =>
    events.push(`${event} ${where} ${interfaces}`),
  );
  objects.on(['changed'], ({ path: where, properties }) => events.push(`changed ${where} ${properties}`));
  const tree = () =>
    Object.fromEntries([...objects.objects].map(([where, all]) => [where, Object.fromEntries(all)]));
  const end = async () => {
    objects.stop();
    await bus.stop();
  };
  return { objects, events, tree, end };
}

const ONE = { [DEVICE]: { RSSI: -40, Alias: 'one' } };
const HCI0 = { [ADAPTER]: { Powered: true } };

test('follows objects that are added, changed and removed', { skip }, async () => {
  const peer = await service(connected());
  const { objects, events, tree, end } = follow();
  await until('the objects', () => objects.loaded);
  assert.deepEqual(tree(), { '/hci0': HCI0, '/hci0/dev_1': ONE });

  const two = { [DEVICE]: { RSSI: new Variant('n', -70) }, [PROPERTIES]: {} };
  peer.emit(['/', MANAGER, 'InterfacesAdded'], 'oa{sa{sv}}', ['/hci0/dev_2', two]);
  // More interfaces of an object that is known.
  peer.emit(['/', MANAGER, 'InterfacesAdded'], 'oa{sa{sv}}', ['/hci0', { 'org.example.Extra': {} }]);
  const change = [DEVICE, { Alias: new Variant('s', 'new') }, ['RSSI']];
  peer.emit(['/hci0/dev_1', PROPERTIES, 'PropertiesChanged'], 'sa{sv}as', change);
  // Nothing is known of these.
  peer.emit(['/hci9', PROPERTIES, 'PropertiesChanged'], 'sa{sv}as', change);
  peer.emit(['/hci0', PROPERTIES, 'PropertiesChanged'], 'sa{sv}as', change);
  peer.emit(['/', MANAGER, 'InterfacesRemoved'], 'oas', ['/hci9', [DEVICE]]);
  // Garbage types.
  peer.emit(['/', MANAGER, 'InterfacesAdded'], 's', ['/hci9']);
  peer.emit(['/', MANAGER, 'InterfacesRemoved'], 'os', ['/hci0', ADAPTER]);
  peer.emit(['/hci0', PROPERTIES, 'PropertiesChanged'], 'sas', [ADAPTER, ['Powered']]);
  peer.emit(['/', MANAGER, 'InterfacesRemoved'], 'oas', ['/hci0/dev_2', [PROPERTIES]]);
  await until('the changes', () => events.length === 5);
  assert.deepEqual(events, [
    'loaded',
    `added /hci0/dev_2 ${DEVICE},${PROPERTIES}`,
    'added /hci0 org.example.Extra',
    'changed /hci0/dev_1 Alias,RSSI',
    `removed /hci0/dev_2 ${PROPERTIES}`,
  ]);
  assert.deepEqual(tree(), {
    '/hci0': { ...HCI0, 'org.example.Extra': {} },
    '/hci0/dev_1': { [DEVICE]: { Alias: 'new' } },
    '/hci0/dev_2': { [DEVICE]: { RSSI: -70 } },
  });
  peer.emit(['/', MANAGER, 'InterfacesRemoved'], 'oas', ['/hci0/dev_2', [DEVICE]]);
  await until('the removal', () => events.length === 6);
  assert.deepEqual(Object.keys(tree()), ['/hci0', '/hci0/dev_1']);
  await end();
  await peer.stop();
});

test('reads the objects again when the service or the bus has restarted', { skip }, async () => {
  const first = await service(connected());
  const { objects, events, tree, end } = follow({ path: '/hci0' });
  await until('the objects', () => objects.loaded);
  await first.stop();
  await until('the loss', () => !objects.loaded);
  assert.deepEqual(tree(), {});
  const second = await service({ '/hci1': {} });
  await until('the new objects', () => objects.loaded);
  assert.deepEqual(tree(), { '/hci1': {} });
  await daemon.stop();
  await until('the loss of the bus', () => !objects.loaded);
  await daemon.start();
  const third = await service(connected());
  await until('the objects of the third', () => objects.loaded);
  assert.deepEqual(Object.keys(tree()), ['/hci0', '/hci0/dev_1']);
  third.emit(['/hci0', MANAGER, 'InterfacesRemoved'], 'oas', ['/hci0/dev_1', [DEVICE]]);
  await until('the removal', () => events.length === 6);
  assert.deepEqual(events.slice(0, 5), ['loaded', 'lost', 'loaded', 'lost', 'loaded']);
  await end();
  await Promise.all([second.stop(), third.stop()]);
});

test('a signal before the objects were read is part of them, one right after changes them', {
  skip,
}, async () => {
  const peer = await service({});
  const added = (path: string) =>
    peer.emit(['/', MANAGER, 'InterfacesAdded'], 'oa{sa{sv}}', [path, { [DEVICE]: {} }]);
  peer.answer = () => {
    added('/before');
    // Both arrive at once.
    queueMicrotask(() => {
      added('/after');
      daemon.settle();
    });
    return ['a{oa{sa{sv}}}', { '/known': {} }];
  };
  const { objects, tree, end } = follow();
  await until('the later object', () => objects.objects.has('/after'));
  assert.deepEqual(Object.keys(tree()), ['/known', '/after']);
  await end();
  await peer.stop();
});

test('asks again after a reply of another type, and limits the number of objects', { skip }, async () => {
  const many = Object.fromEntries(Array.from({ length: MAX_OBJECTS + 1 }, (_, index) => [`/o${index}`, {}]));
  const peer = await BusPeer.connect(address, SERVICE, () =>
    peer.calls.length === 1 ? ['as', ['/']] : ['a{oa{sa{sv}}}', many],
  );
  const { objects, events, end } = follow();
  await until('the objects', () => objects.loaded);
  peer.emit(['/', MANAGER, 'InterfacesAdded'], 'oa{sa{sv}}', ['/more', {}]);
  peer.emit(['/', MANAGER, 'InterfacesAdded'], 'oa{sa{sv}}', ['/o1', { [DEVICE]: {} }]);
  await until('the next event', () => events.length === 2);
  assert.deepEqual(events, ['loaded', `added /o1 ${DEVICE}`]);
  assert.equal(objects.objects.size, MAX_OBJECTS);
  await end();
  await peer.stop();
});

test('among too many objects, the one that is worth least makes room', { skip }, async () => {
  const worthOf = (index: number) => ({ [DEVICE]: { RSSI: new Variant('n', -index) } });
  const many = Object.fromEntries(Array.from({ length: MAX_OBJECTS }, (_, at) => [`/o${at}`, worthOf(at)]));
  const peer = await BusPeer.connect(address, SERVICE, () => ['a{oa{sa{sv}}}', many]);
  // The weakest one is never dropped.
  const { objects, events, end } = follow({
    worth: (interfaces) => {
      const signal = Number(interfaces.get(DEVICE)?.RSSI);
      return signal === 1 - MAX_OBJECTS ? undefined : signal;
    },
  });
  await until('the objects', () => objects.loaded);
  peer.emit(['/', MANAGER, 'InterfacesAdded'], 'oa{sa{sv}}', ['/more', worthOf(5)]);
  await until('the next event', () => events.length === 3);
  const dropped = `/o${MAX_OBJECTS - 2}`;
  assert.deepEqual(events, ['loaded', `removed ${dropped} ${DEVICE}`, `added /more ${DEVICE}`]);
  assert.deepEqual([objects.objects.size, objects.objects.has(dropped)], [MAX_OBJECTS, false]);
  await end();
  await peer.stop();
});

test('objects of a service that gave its name up before it answered are not taken', { skip }, async () => {
  const first = await BusPeer.connect(address, SERVICE, () => undefined);
  const { objects, events, end } = follow();
  await until('the first question', () => first.calls.length === 1);
  await first.disown(SERVICE);
  const second = await service({ '/second': {} });
  first.reply(first.calls[0], ['a{oa{sa{sv}}}', { '/first': {} }]);
  await until('the objects', () => objects.loaded);
  daemon.settle();
  second.emit(['/', MANAGER, 'InterfacesAdded'], 'oa{sa{sv}}', ['/more', {}]);
  await until('the next event', () => events.length === 2);
  assert.deepEqual([...objects.objects.keys()], ['/second', '/more']);
  assert.deepEqual([events, second.calls.length], [['loaded', 'added /more '], 1]);
  await end();
  await Promise.all([first.stop(), second.stop()]);
});
