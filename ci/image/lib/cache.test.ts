import assert from 'node:assert/strict';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { Cache } from './cache.ts';
import { hashOf } from './hash.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vitrine-cache-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const fill = async (target: string): Promise<void> => writeFileSync(join(target, 'file'), 'x');

test('a folder is built once per key', async () => {
  const cache = new Cache(folder);
  let made = 0;
  const work = async (target: string): Promise<void> => {
    made += 1;
    await fill(target);
  };
  const first = await cache.make('root', hashOf('1'), 2, work);
  assert.equal(await cache.make('root', hashOf('1'), 2, work), first);
  assert.equal(made, 1);
  assert.ok(existsSync(join(first, 'file')));
});

test('failed work leaves no folder behind', async () => {
  const cache = new Cache(folder);
  await assert.rejects(
    cache.make('root', hashOf('1'), 2, async (target) => {
      await fill(target);
      throw new Error('cut off');
    }),
    /cut off/,
  );
  assert.deepEqual(readdirSync(folder), []);
});

test('leftovers of a killed build are not used', async () => {
  const cache = new Cache(folder);
  const seen: string[] = [];
  writeFileSync(join(folder, 'tmp-root'), 'left over');
  await cache.make('root', hashOf('1'), 2, async (target) => {
    seen.push(...readdirSync(target));
  });
  assert.deepEqual(seen, []);
});

test('sweep removes the leftovers of killed builds, and nothing else', async () => {
  const cache = new Cache(folder);
  const whole = await cache.make('root', hashOf('1'), 2, fill);
  mkdirSync(join(folder, 'tmp-root', 'etc'), { recursive: true });
  mkdirSync(join(folder, 'tmp-assembly'));
  await cache.sweep();
  await cache.sweep();
  assert.deepEqual(readdirSync(folder), [basename(whole)]);
});

test('the least recently used folders of a kind are removed, others stay', async () => {
  const cache = new Cache(folder);
  const one = await cache.make('root', hashOf('1'), 2, fill);
  const two = await cache.make('root', hashOf('2'), 2, fill);
  const other = await cache.make('root-other', hashOf('1'), 1, fill);
  utimesSync(one, 1, 1);
  utimesSync(two, 2, 2);
  cache.find('root', hashOf('1')); // used just now
  const three = await cache.make('root', hashOf('3'), 2, fill);
  assert.deepEqual([one, two, three, other].map(existsSync), [true, false, true, true]);
});

test('a folder with an open file is not removed', async () => {
  const cache = new Cache(folder);
  const one = await cache.make('root', hashOf('1'), 1, fill);
  const file = openSync(join(one, 'file'), 'r');
  try {
    const two = await cache.make('root', hashOf('2'), 1, fill);
    utimesSync(one, 1, 1);
    utimesSync(two, 2, 2);
    await cache.make('root', hashOf('3'), 1, fill);
    assert.deepEqual([one, two].map(existsSync), [true, false]);
  } finally {
    closeSync(file);
  }
  await cache.make('root', hashOf('4'), 1, fill);
  assert.equal(existsSync(one), false);
});

test('exclusive work runs one at a time', async () => {
  const events: string[] = [];
  const { promise: inside, resolve: entered } = Promise.withResolvers<void>();
  const { promise: leave, resolve: goOn } = Promise.withResolvers<void>();
  const first = new Cache(folder).exclusively(async () => {
    events.push('first in');
    entered();
    await leave;
    events.push('first out');
  });
  await inside;
  const second = new Cache(folder).exclusively(async () => {
    events.push('second in');
  });
  goOn();
  await Promise.all([first, second]);
  assert.deepEqual(events, ['first in', 'first out', 'second in']);
});

test('the lock is released after failed work', async () => {
  const cache = new Cache(folder);
  await assert.rejects(
    cache.exclusively(() => Promise.reject(new Error('no'))),
    /no/,
  );
  assert.equal(await cache.exclusively(async () => 'yes'), 'yes');
});
