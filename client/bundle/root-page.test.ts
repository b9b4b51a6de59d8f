import assert from 'node:assert/strict';
import { test } from 'node:test';
import { problemOf } from './root-page.ts';

const kindOf = (...paths: string[]) => problemOf(paths)?.kind;

test('index.html has to be at the root', () => {
  assert.equal(problemOf(['a/', 'a/index.html', 'index.html']), undefined);
  assert.deepEqual(problemOf(['app/index.html', 'app/a.js']), {
    kind: 'inside',
    what: 'app',
    folders: ['app'],
  });
  assert.deepEqual(problemOf(['a/index.html', 'b/index.html', 'c/d/index.html'])?.folders, ['a', 'b']);
  assert.deepEqual(problemOf(['Index.HTM']), { kind: 'spelled', what: 'Index.HTM', folders: [] });
  assert.equal(kindOf('a/b/index.html'), 'missing');
  assert.equal(kindOf(), 'missing');
});

test('paths that the device refuses are found', () => {
  const index = 'index.html';
  assert.equal(kindOf(index, 'a\\b'), 'path');
  assert.equal(kindOf(index, 'a\nb'), 'path');
  assert.equal(kindOf(index, 'C:/a'), 'path');
  assert.equal(kindOf(index, `${'é'.repeat(512)}x`), 'long');
  assert.equal(kindOf(index, 'é'.repeat(512)), undefined);
  assert.equal(kindOf(index, `${'a/'.repeat(64)}a`), 'long');
  assert.equal(kindOf(index, `${'a/'.repeat(63)}a`), undefined);
  assert.equal(kindOf(index, 'img/a.png', 'IMG/b.png'), 'twins');
  assert.equal(kindOf(index, 'u\u0308.css', 'ü.css'), 'twins');
  assert.equal(kindOf(index, 'img/a.png', 'img/b.png', 'img/'), undefined);
});
