import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { pathOf, readTarget } from './request-path.ts';

test('paths are decoded, the query is not', () => {
  const table: [target: string, name: string, query: string][] = [
    ['/', '', ''],
    ['/?', '', '?'],
    ['/index.html', 'index.html', ''],
    ['/a/b/', 'a/b/', ''],
    ['/a?b=/../c?d', 'a', '?b=/../c?d'],
    ['/a%20b', 'a b', ''],
    ['/a+b', 'a+b', ''],
    ['/%61', 'a', ''],
    ['/caf%C3%A9', 'café', ''],
    ['/%F0%9F%8D%95/x', '🍕/x', ''],
    ['/100%25', '100%', ''],
    ['/what%3F', 'what?', ''],
    ['/a%23b', 'a#b', ''],
    ['/...', '...', ''],
    ['/.well-known/x', '.well-known/x', ''],
    ['/a..b/..c', 'a..b/..c', ''],
    ['/a%20b/', 'a b/', ''],
    ["/!$&'()*+,;=:@-_~", "!$&'()*+,;=:@-_~", ''],
  ];
  for (const [target, name, query] of table) assert.deepEqual(readTarget(target), { name, query }, target);
});

test('invalid paths are rejected', () => {
  for (const target of [
    '',
    '*',
    'a',
    '//',
    '//evil.example',
    '/a//b',
    '/.',
    '/..',
    '/./a',
    '/../a',
    '/a/../b',
    '/a/..',
    '/%2e%2e/a',
    '/.%2E/a',
    '/%2E',
    '/a%2Fb',
    '/%2F',
    '/a\\b',
    '/a%5Cb',
    '/..%5c',
    '/a%00',
    '/%',
    '/%4',
    '/%zz',
    '/%C3',
    '/%C0%AF',
    '/%ED%A0%80',
    '/caf\xe9',
    '/a b',
    '/a#b',
    '/a\x7f',
  ]) {
    assert.equal(readTarget(target), undefined, target);
  }
});

test('every valid entry name survives the way through a URL', () => {
  const segment = fc
    .string({ unit: 'grapheme', minLength: 1 })
    .filter((text) => !/[/\\\0]/.test(text) && text !== '.' && text !== '..' && text.isWellFormed());
  fc.assert(
    fc.property(fc.array(segment, { minLength: 1 }), (segments) => {
      const name = segments.join('/');
      assert.deepEqual(readTarget(pathOf(name)), { name, query: '' });
      // Also as a browser encodes it.
      const path = new URL('http://menu.localhost').pathname + pathOf(name).slice(1);
      assert.equal(readTarget(new URL(path, 'http://menu.localhost').pathname)?.name, name);
    }),
  );
});
