import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { stopCommand } from '../qemu/instance.ts';
import { readArguments, requireNoRest } from './arguments.ts';
import { ROOT } from './places.ts';

const OPTIONS = {
  board: { type: 'string', value: 'BOARD', help: 'the board' },
  release: { type: 'boolean', help: 'a release' },
} as const;

test('an unknown option is named, with the one that was meant', () => {
  for (const [args, message] of [
    [['--bord', 'rpi4'], /^there is no option --bord; did you mean --board\?\n\nUsage: tool/],
    [['--relase'], /^there is no option --relase; did you mean --release\?\n/],
    [['--bord=rpi4'], /^there is no option --bord; did you mean --board\?\n/],
    [['--colour'], /^there is no option --colour\.\n/],
    [['-x'], /^there is no option -x\.\n/],
    [['--board'], /^Option '--board <value>' argument missing\n/],
    [['--board', '--release'], /^Option '--board' argument is ambiguous\.?\n/],
    [['--release=yes'], /^Option '--release' does not take an argument\n/],
  ] as const) {
    const read = () => readArguments('tool', OPTIONS, [...args]);
    assert.throws(read, (error: Error) => {
      assert.equal(error.name, 'Problem');
      assert.match(error.message, message);
      assert.doesNotMatch(error.message, /positional/);
      return true;
    });
  }
  assert.deepEqual(readArguments('tool', OPTIONS, ['--board', 'rpi4', 'x']), {
    values: Object.assign(Object.create(null), { board: 'rpi4' }),
    rest: ['x'],
  });
});

test('npm stop takes the name as an option only, and does not end another machine instead', () => {
  assert.throws(() => requireNoRest(['lab']), { name: 'Problem', message: 'unexpected argument "lab"' });
  requireNoRest([]);
  const { status, stderr } = spawnSync(process.execPath, [join(ROOT, 'ci/stop.ts'), 'lab'], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  assert.deepEqual([status, /unexpected argument "lab"/.test(stderr)], [1, true]);
});

test('the command that ends a machine has its name', () => {
  assert.equal(stopCommand('vitrine'), 'npm stop');
  assert.equal(stopCommand('lab'), 'npm stop -- --name lab');
});
