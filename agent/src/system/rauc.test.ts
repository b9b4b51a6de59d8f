import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reportOf } from './rauc.ts';

const text = (value: string) => ({ signature: 's', value });
const slot = (bootname: string, state: string, status: string) => [
  `rootfs.${bootname}`,
  { class: text('rootfs'), bootname: text(bootname), state: text(state), 'boot-status': text(status) },
];

test('reads which slot runs and which is bad', () => {
  assert.deepEqual(reportOf([slot('A', 'booted', 'good'), slot('B', 'inactive', 'good')]), {
    booted: 'a',
    bad: [],
  });
  assert.deepEqual(reportOf([slot('A', 'inactive', 'bad'), slot('B', 'booted', 'good')]), {
    booted: 'b',
    bad: ['a'],
  });
});

test('takes no slot for booted that is not', () => {
  const data = ['data.0', { class: text('data'), state: text('booted') }];
  for (const answer of [undefined, [], 'x', [data], [slot('A', 'inactive', 'good')]]) {
    assert.throws(() => reportOf(answer), /no booted slot/);
  }
});
