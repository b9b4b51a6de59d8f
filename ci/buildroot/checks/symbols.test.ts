import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fragmentNames, lostSymbols, redundantSymbols, symbolsOf } from './symbols.ts';

const WANTED = symbolsOf('# a comment\nBR2_CAGE=y\nBR2_SIZE="60M"\n# BR2_LOGIN is not set\n');

test('values and "is not set" lines are parsed', () => {
  assert.deepEqual(
    [...WANTED],
    [
      ['BR2_CAGE', 'y'],
      ['BR2_SIZE', '"60M"'],
      ['BR2_LOGIN', 'n'],
    ],
  );
});

test('a symbol is lost when it is missing, has another value or is turned on', () => {
  assert.deepEqual(lostSymbols(WANTED, 'BR2_CAGE=y\nBR2_SIZE="60M"\n# BR2_LOGIN is not set\nBR2_MORE=y'), []);
  assert.deepEqual(lostSymbols(WANTED, 'BR2_SIZE="61M"\nBR2_LOGIN=y\nBR2_CAGE_X=y'), [
    'BR2_CAGE: wanted y, got nothing',
    'BR2_SIZE: wanted "60M", got "61M"',
    'BR2_LOGIN: wanted n, got y',
  ]);
});

test('a symbol is redundant when the shortest configuration leaves it out', () => {
  assert.deepEqual(redundantSymbols(WANTED, 'BR2_SIZE="60M"\n# BR2_LOGIN is not set\n'), ['BR2_CAGE']);
});

test('the fragments are read from the defconfig', () => {
  assert.deepEqual(fragmentNames('# words\n# fragments: common board  hardening\n# linux: a b\n'), [
    'common',
    'board',
    'hardening',
  ]);
  assert.deepEqual(fragmentNames('BR2_x86_64=y\n'), []);
});
