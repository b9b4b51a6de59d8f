import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withBootDelay } from './assembly.ts';
import { partInputs } from './stages.ts';

test('the inputs of a part are read from its script', () => {
  assert.deepEqual(partInputs('#!/bin/sh\n# inputs: browser  ci/x.sh\nset -eu\n'), ['browser', 'ci/x.sh']);
  assert.deepEqual(partInputs('#!/bin/sh\n# inputs:\n'), []);
  assert.throws(() => partInputs('#!/bin/sh\nset -eu\n'), /# inputs/);
});

test('only the boot delay is changed', () => {
  const rom = Buffer.from([0xff, ...Buffer.from('arch=x86\0bootdelay=2\0baudrate=1'), 0x80, 0]);
  const changed = withBootDelay(rom, 0);
  assert.equal(changed.length, rom.length);
  const differing = [...rom.keys()].filter((at) => rom[at] !== changed[at]);
  assert.deepEqual(
    differing.map((at) => changed[at]),
    [0x30],
  );
  assert.throws(() => withBootDelay(Buffer.from('bootdelay=20\0'), 0), /bootdelay/);
});
