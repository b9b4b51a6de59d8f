import assert from 'node:assert/strict';
import { test } from 'node:test';
import { duration, speedOf, weightOf } from './estimate.ts';
import { BuildProgress, packagesOf, parseStep } from './progress.ts';

test('a step is parsed although escape sequences surround it', () => {
  assert.deepEqual(parseStep('\x1b[7m>>> host-m4 1.4.21 Downloading\x1b[27m'), {
    name: 'host-m4',
    version: '1.4.21',
    what: 'Downloading',
  });
});

test('a package without a version, and a step without a package', () => {
  assert.deepEqual(parseStep('>>> host-skeleton  Extracting'), {
    name: 'host-skeleton',
    version: '',
    what: 'Extracting',
  });
  assert.deepEqual(parseStep('>>>   Executing post-image script /a/b.sh'), {
    name: '',
    version: '',
    what: 'Executing post-image script /a/b.sh',
  });
});

for (const line of ['gcc -c x.c', '>>>', '  >>> a 1 Building', 'echo ">>> a 1 Building"', '']) {
  test(`"${line}" is not a step`, () => {
    assert.equal(parseStep(line), undefined);
  });
}

test('packages and their stamp folders are read from show-info, without file systems', () => {
  const info = { a: { type: 'target', stamp_dir: 'build/a-1' }, 'rootfs-ext2': { type: 'rootfs' } };
  assert.deepEqual([...packagesOf(JSON.stringify(info))], [['a', 'build/a-1']]);
  assert.throws(() => packagesOf('[]'));
});

/** The progress of a build of three packages. The caller controls which are installed, and the clock. */
function watch(installed: Set<string>): { progress: BuildProgress; at: (minutes: number) => void } {
  let now = 0;
  const packages = new Map(['host-tool', 'linux', 'vitrine-wpewebkit'].map((name) => [name, name]));
  const progress = new BuildProgress({
    packages,
    isInstalled: (folder) => installed.has(folder),
    cores: 4,
    now: () => now,
  });
  return {
    progress,
    at: (minutes) => {
      now = minutes;
    },
  };
}

test('counts installed packages, including those of earlier runs', () => {
  const installed = new Set(['host-tool']);
  const { progress, at } = watch(installed);
  assert.equal(progress.done, 1);
  assert.ok(progress.line('>>> linux 6.12 Extracting'));
  assert.ok(!progress.line('>>> linux 6.12 Patching'), 'a package is reported once');
  assert.ok(!progress.line('  CC kernel/fork.o'));
  assert.equal(progress.done, 1);
  at(9);
  installed.add('linux');
  assert.ok(progress.line('>>> vitrine-wpewebkit 2.54 Extracting'));
  assert.equal(progress.done, 2);
  assert.match(progress.text, /^\[2\/3\] vitrine-wpewebkit 2\.54 Extracting \(9 min, about \d+ (h|min)/);
});

test('packages that are built in parallel count when they are installed, in any order', () => {
  const installed = new Set<string>();
  const { progress } = watch(installed);
  progress.line('>>> vitrine-wpewebkit 2.54 Building');
  progress.line('>>> linux 6.12 Building');
  assert.ok(!progress.line('>>> vitrine-wpewebkit 2.54 Installing to target'));
  installed.add('linux');
  progress.settle();
  assert.equal(progress.done, 1);
});

test('no time is left at the end', () => {
  const { progress } = watch(new Set(['host-tool', 'linux', 'vitrine-wpewebkit']));
  progress.line('>>>   Finalizing target directory');
  assert.equal(progress.text, '[3/3] Finalizing target directory (under a minute)');
});

test('while a large package is being built, the estimate decreases but never reaches zero', () => {
  const { progress, at } = watch(new Set(['host-tool', 'linux']));
  progress.line('>>> vitrine-wpewebkit 2.54 Building');
  const first = progress.minutesLeft;
  at(60);
  const second = progress.minutesLeft;
  assert.ok(Math.abs(first - second - 60) < 1, `${first} - ${second} is about 60`);
  at(10_000);
  assert.ok(progress.minutesLeft > 0);
});

test('the speed is estimated from the cores at first, then measured', () => {
  const assumed = speedOf({ done: 0, elapsed: 0, cores: 8 });
  assert.ok(assumed > 4 && assumed <= 8);
  const seen = speedOf({ done: 1000, elapsed: 1000, cores: 8 });
  assert.ok(Math.abs(seen - 1) < 0.1, String(seen));
});

test('WebKit weighs more than a hundred ordinary packages', () => {
  assert.ok(weightOf('vitrine-wpewebkit') > 100 * weightOf('libpng'));
});

test('durations', () => {
  assert.deepEqual([0.4, 1, 59.6, 60, 200].map(duration), [
    'under a minute',
    '1 min',
    '1 h',
    '1 h',
    '3 h 20 min',
  ]);
});
