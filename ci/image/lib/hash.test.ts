import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { hashFiles, hashOf } from './hash.ts';

let base = '';
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'vitrine-hash-'));
  mkdirSync(join(base, 'a/b'), { recursive: true });
  writeFileSync(join(base, 'a/one'), '1');
  writeFileSync(join(base, 'a/b/two'), '2');
});
afterEach(() => rmSync(base, { recursive: true }));

test('the boundaries between texts count', () => {
  assert.notEqual(hashOf('ab', 'c'), hashOf('a', 'bc'));
  assert.notEqual(hashOf('a', ''), hashOf('a'));
  assert.match(hashOf('a'), /^[0-9a-f]{24}$/);
});

test('times, group rights and the order of the paths do not count', () => {
  const before = hashFiles(base, ['a/one', 'a/b']);
  utimesSync(join(base, 'a/one'), 1, 1);
  chmodSync(join(base, 'a/one'), 0o600);
  assert.equal(hashFiles(base, ['a/b', 'a/one']), before);
});

const changes: [string, () => void][] = [
  ['content', () => writeFileSync(join(base, 'a/b/two'), '3')],
  ['the executable bit', () => chmodSync(join(base, 'a/one'), 0o755)],
  ['a new file', () => writeFileSync(join(base, 'a/b/three'), '')],
  ['a removed file', () => rmSync(join(base, 'a/b/two'))],
  ['a link', () => symlinkSync('one', join(base, 'a/link'))],
  ['a folder that was absent', () => mkdirSync(join(base, 'absent'))],
];
for (const [what, change] of changes) {
  test(`${what} counts`, () => {
    const before = hashFiles(base, ['a', 'absent']);
    change();
    assert.notEqual(hashFiles(base, ['a', 'absent']), before);
  });
}

test('the target of a link counts', () => {
  symlinkSync('one', join(base, 'a/link'));
  const before = hashFiles(base, ['a']);
  rmSync(join(base, 'a/link'));
  symlinkSync('b/two', join(base, 'a/link'));
  assert.notEqual(hashFiles(base, ['a']), before);
});
