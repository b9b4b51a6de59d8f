/** The part of systemd's D-Bus interface that controls units, on a real bus; `systemctl` is only noted. */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { createLogger } from '../base/logger.ts';
import { SystemBus } from './dbus/bus.ts';
import { systemPower } from './power.ts';
import { SYSTEMD, Systemd } from './systemd.ts';
import { BusDaemon, BusPeer, noDaemon as skip } from './tests/bus.ts';

const log = createLogger('silent');
const daemon = new BusDaemon();
const { address } = daemon;
const JOB = '/org/freedesktop/systemd1/job/7';
const MS = 60_000;

let bus: SystemBus;
let systemd: Systemd;
let commands: string[];
let failure: Error | undefined;

before(() => (skip ? undefined : daemon.start()));
after(() => daemon.remove());
beforeEach(() => {
  commands = [];
  results = [];
  failure = undefined;
  bus = new SystemBus({ log, address });
  systemd = new Systemd(bus, log, async (args) => {
    commands.push(args.join(' '));
    if (failure) throw failure;
  });
});
afterEach(() => bus.stop());

/** Results of the jobs that end with the next call. */
let results: [job: string, result: string][];

/** The manager on the bus. */
async function manager(): Promise<BusPeer & AsyncDisposable> {
  const peer = await BusPeer.connect(address, SYSTEMD, ({ member }) => {
    setImmediate(() => {
      for (const [job, result] of results) removed(peer, job, result);
    });
    return member === 'ResetFailedUnit' ? [''] : ['o', JOB];
  });
  return Object.assign(peer, { [Symbol.asyncDispose]: () => peer.stop() });
}

function removed(peer: BusPeer, job: string, result: string): void {
  const member = ['/org/freedesktop/systemd1', `${SYSTEMD}.Manager`, 'JobRemoved'] as const;
  peer.emit([...member], 'uoss', [7, job, 'a.service', result]);
}

const callsOf = (peer: BusPeer) => peer.calls.map(({ member, body }) => [member, ...body].join(' '));

test('waits for its own job, and reports a failed one', { skip }, async () => {
  await using peer = await manager();
  for (const result of ['done', 'skipped']) {
    results = [
      [`${JOB}1`, 'failed'],
      [JOB, result],
    ];
    await systemd.runService('a.service', MS);
    await systemd.reload('a.service');
    assert.deepEqual(callsOf(peer).slice(-2), [
      'StartUnit a.service replace',
      'ReloadUnit a.service replace',
    ]);
  }
  for (const result of ['failed', 'timeout', 'canceled', 'dependency']) {
    results = [
      [`${JOB}1`, 'done'],
      [JOB, result],
    ];
    await assert.rejects(systemd.runService('a.service', MS), {
      message: `systemd failed to start a.service: ${result}`,
    });
  }
  assert.deepEqual(commands, []);
});

test('a job that does not end is an error, and is not started again', { skip }, async () => {
  await using _ = await manager();
  await assert.rejects(systemd.runService('a.service', 50), /did not start a\.service in 50 ms/);
  assert.deepEqual(commands, []);
});

test('a restart resets earlier failures and is not waited for', { skip }, async () => {
  await using peer = await manager();
  await systemd.restart('a.service');
  assert.deepEqual(callsOf(peer), ['ResetFailedUnit a.service', 'RestartUnit a.service replace']);
  assert.deepEqual(commands, []);
});

test('without systemd on the bus, systemctl does the same', { skip }, async () => {
  await systemd.restart('a.service');
  await systemd.reload('a.service');
  await systemd.runService('a.service');
  await systemd.endSystem('reboot.target');
  assert.deepEqual(commands.splice(0), [
    'reset-failed a.service',
    '--no-block restart a.service',
    'reload a.service',
    'start a.service',
    '--no-block --job-mode=replace-irreversibly start reboot.target',
  ]);
  failure = new Error('Job for a.service failed.');
  await assert.rejects(systemd.restart('a.service'), failure);
  assert.deepEqual(commands, ['reset-failed a.service', '--no-block restart a.service']);
});

test('if the bus is lost during a job, systemctl starts it again and waits', { skip }, async () => {
  const peer = await manager();
  const done = systemd.runService('a.service', MS);
  while (peer.calls.length === 0) await new Promise(setImmediate);
  await daemon.stop('SIGKILL');
  await done;
  assert.deepEqual(commands, ['start a.service']);
  await daemon.start();
});

test('power: over the bus if only the login manager is missing, and without any bus', { skip }, async () => {
  {
    await using peer = await manager();
    await systemPower(bus, systemd, log).perform('reboot');
    assert.deepEqual(callsOf(peer), ['StartUnit reboot.target replace-irreversibly']);
    assert.deepEqual(commands, []);
  }
  await daemon.stop('SIGKILL');
  await systemPower(bus, systemd, log).perform('shutdown');
  assert.deepEqual(commands, ['--no-block --job-mode=replace-irreversibly start poweroff.target']);
  await daemon.start();
});
