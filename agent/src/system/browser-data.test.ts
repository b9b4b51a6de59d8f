import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fullnessProblems } from './browser-data.ts';

/** What the file system says of /data and of /data/kiosk: all blocks, and those that are free. */
function problems(all: [number, number], browser: [number, number]): string[] {
  const sizes: Record<string, [number, number]> = { '/data': all, '/data/kiosk': browser };
  return fullnessProblems('/data', '/data/kiosk', (path) => {
    const [blocks = 0, bavail = 0] = sizes[path] ?? assert.fail(path);
    return { blocks, bavail };
  });
}

test('tells of a browser near its limit and of a partition that is nearly full', () => {
  assert.deepEqual(problems([1000, 500], [250, 120]), []);
  assert.match(problems([1000, 500], [250, 110]).join(), /^What pages have stored.* 56 %.*clear-data/);
  assert.match(problems([1000, 100], [250, 120]).join(), /^The data partition is 90 % full\.$/);
  assert.equal(problems([1000, 0], [250, 0]).length, 2);
});

test('without a quota the folder says what the whole partition says', () => {
  assert.deepEqual(problems([1000, 200], [1000, 200]), []);
  assert.equal(problems([1000, 50], [1000, 50]).length, 1);
});

test('folders that are not there are not full', () => {
  assert.deepEqual(fullnessProblems(join(tmpdir(), 'vitrine-none'), join(tmpdir(), 'vitrine-none')), []);
});
