import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reportOf } from './rauc.ts';

const slot = (bootname: string, state: string, status: string) => [
  `rootfs.${bootname}`,
  { class: 'rootfs', bootname, state, 'boot-status': status },
];

test('reads which slot is booted and which is bad', () => {
  assert.deepEqual(reportOf([slot('A', 'booted', 'good'), slot('B', 'inactive', 'good')]), {
    booted: 'a',
    bad: [],
  });
  assert.deepEqual(reportOf([slot('A', 'inactive', 'bad'), slot('B', 'booted', 'good')]), {
    booted: 'b',
    bad: ['a'],
  });
});

test('fails when no slot is booted', () => {
  const data = ['data.0', { class: 'data', state: 'booted' }];
  for (const answer of [[], [data], [[]], [['x', null]], [slot('A', 'inactive', 'good')]]) {
    assert.throws(() => reportOf(answer), /no booted slot/);
  }
});
