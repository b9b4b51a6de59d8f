import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BusError } from './dbus/values.ts';
import { raucInstaller, reportOf, versionsOf } from './rauc.ts';

const slot = (bootname: string, state: string, status: string, more: object = {}) => [
  `rootfs.${bootname}`,
  { class: 'rootfs', bootname, state, 'boot-status': status, ...more },
];
const NEW = { content: 'unknown', version: null, installations: 0, activations: 0 };

test('reads which slot is booted, and what the slots contain', () => {
  const installed = {
    status: 'ok',
    'bundle.version': '1.2.0',
    'installed.count': 7,
    'activated.count': 3,
  };
  assert.deepEqual(reportOf([slot('A', 'booted', 'good'), slot('B', 'inactive', 'bad', installed)]), {
    booted: 'a',
    slots: {
      a: { ...NEW, bootable: true },
      b: { bootable: false, content: 'complete', version: '1.2.0', installations: 7, activations: 3 },
    },
  });
  for (const status of ['pending', 'failed']) {
    const { slots } = reportOf([slot('B', 'booted', 'bad'), slot('A', 'inactive', 'bad', { status })]);
    assert.deepEqual(slots.a, { ...NEW, bootable: false, content: 'incomplete' });
  }
});

test('fails when no slot is booted, or one is missing', () => {
  const data = ['data.0', { class: 'data', state: 'booted' }];
  const [a, b] = [slot('A', 'inactive', 'good'), slot('B', 'inactive', 'good')];
  for (const answer of [[], [data], [[]], [['x', null]], [a, b], [slot('A', 'booted', 'good')]]) {
    assert.throws(() => reportOf(answer), /no booted slot/);
  }
});

test('a version that is missing or cannot be one is null', () => {
  assert.deepEqual(versionsOf('a 1.0.0-rc.1\nb 2.0.0\n'), { a: '1.0.0-rc.1', b: '2.0.0' });
  for (const lines of ['', 'c 1.0.0', 'a \nb  1', `a ${'1'.repeat(65)}\nb <x>`]) {
    assert.deepEqual(versionsOf(lines), { a: null, b: null });
  }
});

/** RAUC on a bus. Each reading of its state takes the next one; the last one stays. */
function rauc(states: [operation: string, lastError: string][], answer: Error | undefined) {
  let wake: () => void = () => undefined;
  let reads = 0;
  const installer = raucInstaller({
    subscribe: (_match, listener) => {
      wake = () => listener({ sender: 'x', path: '/', interface: 'x', member: 'Completed', args: [] });
      return () => undefined;
    },
    call: async ({ member }) => {
      if (member === 'InstallBundle' && answer) throw answer;
      if (member !== 'GetAll') return [];
      const [operation, lastError] = states[Math.min(reads, states.length - 1)] ?? [];
      reads += 1;
      setImmediate(wake);
      return [{ Operation: operation, LastError: lastError, Progress: [50, '', 1] }];
    },
  });
  const install = async () => {
    await installer.begin({ source: 'x', transaction: 'y', allowDowngrade: false });
    return await installer.untilIdle(() => undefined, new AbortController().signal);
  };
  return { install, reads: () => reads };
}

test('an installation that RAUC begins after a call without an answer is waited for', async (t) => {
  const old: [string, string] = ['idle', 'signature verification failed'];
  const timeout = new BusError('vitrine.Timeout', 'no answer');
  const late = rauc([old, old, ['installing', ''], ['installing', ''], ['idle', 'new error']], timeout);
  assert.equal(await late.install(), 'new error');
  assert.equal(late.reads(), 5);
  assert.equal(
    await rauc(
      [
        ['installing', ''],
        ['idle', ''],
      ],
      undefined,
    ).install(),
    '',
  );

  // It never came.
  let now = 0;
  t.mock.method(performance, 'now', () => {
    now += 10_000;
    return now;
  });
  assert.equal(await rauc([old], timeout).install(), '', "an earlier installation's error is not this one's");
});
