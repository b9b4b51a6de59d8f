import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLayout, LAYOUTS, layoutName } from './layouts.ts';

test('a layout has the name of its country, in each language', () => {
  assert.equal(layoutName('de', 'en'), 'Germany (de)');
  assert.equal(layoutName('ch(fr)', 'de'), 'Schweiz, Französisch (ch(fr))');
  assert.equal(layoutName('latam', 'es'), 'Latinoamérica (latam)');
  assert.equal(layoutName('us(dvorak)', 'en'), 'United States (us(dvorak))');
  for (const layout of LAYOUTS) {
    assert.ok(isLayout(layout), layout);
    assert.notEqual(layoutName(layout, 'fr'), layout);
  }
});

test('a name that is none is shown as it is', () => {
  for (const text of ['brai', 'us(', '', 'a b', 'zz(fr)x']) assert.equal(layoutName(text, 'en'), text);
});

test('what cannot be a layout is told from what may be one', () => {
  for (const text of ['us', 'latam', 'us(intl)']) assert.ok(isLayout(text), text);
  for (const text of ['', 'u', 'US', 'us()', 'us(a b)', 'us,de', '../us']) assert.ok(!isLayout(text), text);
});
