import assert from 'node:assert/strict';
import { test } from 'node:test';
import { partInputs, withCountdown } from './stages.ts';

test('a part names what it depends on', () => {
  assert.deepEqual(partInputs('#!/bin/sh\n# inputs: browser  ci/x.sh\nset -eu\n'), ['browser', 'ci/x.sh']);
  assert.deepEqual(partInputs('#!/bin/sh\n# inputs:\n'), []);
  assert.throws(() => partInputs('#!/bin/sh\nset -eu\n'), /# inputs/);
});

test('the countdown goes, every other byte stays', () => {
  const rom = Buffer.from([0xff, ...Buffer.from('arch=x86\0bootdelay=2\0baudrate=1'), 0x80, 0]);
  const changed = withCountdown(rom, 0);
  assert.equal(changed.length, rom.length);
  const differing = [...rom.keys()].filter((at) => rom[at] !== changed[at]);
  assert.deepEqual(
    differing.map((at) => changed[at]),
    [0x30],
  );
  assert.throws(() => withCountdown(Buffer.from('bootdelay=20\0'), 0), /bootdelay/);
});
