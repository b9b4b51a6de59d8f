import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { queryObjects } from 'node:v8';
import { createLogger } from '../base/logger.ts';
import { BusError, plain, SystemBus } from './dbus.ts';

const log = createLogger('silent');
const missing = spawnSync('dbus-daemon', ['--version']).error ? 'dbus-daemon is not installed' : false;
let folder: string;
let address: string;
let daemon: ChildProcess;

async function startDaemon(): Promise<void> {
  daemon = spawn('dbus-daemon', ['--session', '--nofork', '--print-address', `--address=${address}`], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  if (daemon.stdout) await once(daemon.stdout, 'data');
}

async function stopDaemon(): Promise<void> {
  daemon.kill();
  await once(daemon, 'exit');
}

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vitrine-dbus-'));
  address = `unix:path=${folder}/bus`;
  if (!missing) await startDaemon();
});

after(async () => {
  if (!missing) await stopDaemon();
  await rm(folder, { recursive: true });
});

const DRIVER = { destination: 'org.freedesktop.DBus', path: '/org/freedesktop/DBus' };
const getId = { ...DRIVER, interface: 'org.freedesktop.DBus', member: 'GetId' };

test('calls a method and reads a property', { skip: missing }, async () => {
  const bus = new SystemBus({ log, address });
  const [id] = await bus.call(getId);
  assert.match(String(id), /^[0-9a-f]{32}$/);
  const features = await bus.property(DRIVER.destination, DRIVER.path, DRIVER.destination, 'Features');
  assert.ok(Array.isArray(features));
  bus.stop();
  await assert.rejects(bus.call(getId), BusError);
});

test('passes on the name of an error', { skip: missing }, async () => {
  const bus = new SystemBus({ log, address });
  await assert.rejects(bus.call({ ...getId, member: 'Nothing' }), {
    name: 'BusError',
    errorName: 'org.freedesktop.DBus.Error.UnknownMethod',
  });
  bus.stop();
});

test('fails in time when there is no bus', async () => {
  const bus = new SystemBus({ log, address: `unix:path=${folder}/none` });
  await assert.rejects(bus.call(getId), { errorName: 'vitrine.Disconnected' });
  bus.stop();
});

test('leaves nothing of a call behind', { skip: missing }, async () => {
  const bus = new SystemBus({ log, address });
  const promisesAfter = async (calls: number) => {
    for (let call = 0; call < calls; call++) await bus.call(getId);
    return queryObjects(Promise, { format: 'count' });
  };
  const few = await promisesAfter(10);
  const more = (await promisesAfter(200)) - few;
  assert.ok(more < 20, `${more} promises more`);
  bus.stop();
});

test('fails a call that waits for its answer when the bus goes away', { skip: missing }, async () => {
  const bus = new SystemBus({ log, address });
  await bus.call(getId);
  daemon.kill('SIGSTOP');
  const failed = assert.rejects(bus.call(getId), { errorName: 'vitrine.Disconnected' });
  daemon.kill('SIGKILL');
  await once(daemon, 'exit');
  await failed;
  await startDaemon();
  bus.stop();
});

const ownerChanged = {
  sender: DRIVER.destination,
  path: DRIVER.path,
  interface: DRIVER.destination,
  member: 'NameOwnerChanged',
};

/** Another client that comes is a name with a new owner; it comes until the subscription is in place. */
async function visitUntil(heard: EventTarget): Promise<void> {
  let done = false;
  once(heard, 'signal').then(() => {
    done = true;
  });
  for (let visit = 0; visit < 200 && !done; visit++) {
    const visitor = new SystemBus({ log, address });
    await visitor.call(getId);
    visitor.stop();
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  assert.ok(done);
}

test('hears signals again after the bus was restarted', { skip: missing }, async () => {
  const bus = new SystemBus({ log, address });
  const heard = new EventTarget();
  bus.subscribe(ownerChanged, () => heard.dispatchEvent(new Event('signal')));
  await visitUntil(heard);
  await stopDaemon();
  await startDaemon();
  await visitUntil(heard);
  bus.stop();
});

test('hears signals although a call met no bus as they were subscribed to', { skip: missing }, async () => {
  await stopDaemon();
  const bus = new SystemBus({ log, address });
  const failed = assert.rejects(bus.call(getId), BusError);
  const heard = new EventTarget();
  bus.subscribe(ownerChanged, () => heard.dispatchEvent(new Event('signal')));
  await failed;
  await startDaemon();
  await visitUntil(heard);
  bus.stop();
});

test('takes values out of their variants', () => {
  const variant = { signature: 'a{sv}', value: { a: { signature: 's', value: 'b' }, c: [1] } };
  assert.deepEqual(plain(variant), { a: 'b', c: [1] });
});
