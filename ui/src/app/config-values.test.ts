import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fieldOf } from './config-values.ts';

test('a field is found by its path; what is inherited or missing is undefined', () => {
  const config = { audio: { output: null, volume: 80 }, list: ['a'] };
  assert.equal(fieldOf(config, 'audio', 'volume'), 80);
  assert.equal(fieldOf(config, 'audio', 'output'), null);
  assert.equal(fieldOf(config, 'list', '0'), 'a');
  for (const path of [
    ['audio', 'x'],
    ['audio', 'volume', 'x'],
    ['audio', 'toString'],
    ['x', 'y'],
  ])
    assert.equal(fieldOf(config, ...path), undefined, path.join('.'));
  assert.equal(fieldOf(undefined, 'audio'), undefined);
});
