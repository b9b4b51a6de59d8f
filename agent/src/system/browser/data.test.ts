import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fullnessProblems } from './data.ts';

/** The problems for file systems with these numbers of all and of free blocks. */
function problems(all: [number, number], browser: [number, number]): string[] {
  const sizes: Record<string, [number, number]> = { '/data': all, '/data/kiosk': browser };
  return fullnessProblems('/data', '/data/kiosk', (path) => {
    const [blocks = 0, bavail = 0] = sizes[path] ?? assert.fail(path);
    return { blocks, bavail };
  });
}

test('reports a browser near its limit and a partition that is nearly full', () => {
  assert.deepEqual(problems([1000, 500], [250, 120]), []);
  assert.match(problems([1000, 500], [250, 110]).join(), /^The data stored by pages .* 56 %.*clear-data/);
  assert.match(problems([1000, 100], [250, 120]).join(), /^The data partition is 90 % full\.$/);
  assert.equal(problems([1000, 90], [250, 0]).length, 2);
});

test('a disk that something else fills says nothing about what pages store', () => {
  assert.deepEqual(problems([1000, 110], [250, 110]), []);
  assert.deepEqual(problems([1000, 0], [250, 0]), ['The data partition is 100 % full.']);
});

test('without a quota the folder reports the whole partition', () => {
  assert.deepEqual(problems([1000, 200], [1000, 200]), []);
  assert.equal(problems([1000, 50], [1000, 50]).length, 1);
});

test('missing folders are no problem', () => {
  assert.deepEqual(fullnessProblems(join(tmpdir(), 'vitrine-none'), join(tmpdir(), 'vitrine-none')), []);
});
