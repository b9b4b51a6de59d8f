import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BUNDLE_NAME } from '../../agent/src/resources/content/schema.ts';
import { bundleNameFor, isBundleName } from './bundle-name.ts';

test('a name follows from that of the file', () => {
  const names = {
    'menu.zip': 'menu',
    'Menu (2).ZIP': 'menu',
    'Öffnungszeiten Straße.zip': 'offnungszeiten-strasse',
    '__Carte d’été__': 'carte-d-ete',
    'menu-1.2.3': 'menu-1-2-3',
    '日本語.zip': 'content',
    '': 'content',
  };
  for (const [file, name] of Object.entries(names)) assert.equal(bundleNameFor(file), name, file);
});

test('every derived name is valid, and the rule is that of the contract', () => {
  const long = `${'a'.repeat(62)}-b`;
  const texts = [
    'a',
    '-a',
    'a-',
    'A',
    'a b',
    'ä',
    'a.b',
    '',
    'x'.repeat(63),
    'x'.repeat(64),
    long,
    'a--b',
    '0',
  ];
  for (const text of texts) {
    assert.equal(isBundleName(text), new RegExp(BUNDLE_NAME).test(text), text);
    assert.ok(isBundleName(bundleNameFor(text)), text);
  }
});
