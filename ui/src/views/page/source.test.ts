import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shortSource } from './source.ts';

test('the end of an address is shown, with its line', () => {
  assert.equal(shortSource('http://a.example/js/app.js:12'), 'app.js:12');
  assert.equal(shortSource('http://a.example/js/app.js?v=1:12'), 'app.js:12');
  assert.equal(shortSource('http://a.example/'), 'a.example/');
  assert.equal(shortSource(''), '');
});
