import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import de from '../texts/de.ts';
import en from '../texts/en.ts';
import es from '../texts/es.ts';
import fr from '../texts/fr.ts';
import { fill, languageFor } from './texts.ts';

const SOURCES = new URL('../', import.meta.url);
const placeholders = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).sort();

test('every text has the same placeholders in all languages, and no text is empty', () => {
  for (const [language, texts] of Object.entries({ de, fr, es })) {
    assert.deepEqual(Object.keys(texts), Object.keys(en), `${language} has the keys in the order of English`);
    for (const [key, text] of Object.entries(texts)) {
      const source = Object.entries(en).find(([name]) => name === key)?.[1] ?? '';
      assert.deepEqual(placeholders(text), placeholders(source), `${language}: ${key}`);
      assert.ok(text.trim() === text && text !== '', `${language}: ${key}`);
    }
  }
});

test('every text is used', async () => {
  const names = await readdir(SOURCES, { recursive: true });
  const sources = names.filter((name) => /\.tsx?$/.test(name) && !/^texts\/|\.test\.ts$/.test(name));
  const code = (await Promise.all(sources.map((name) => readFile(new URL(name, SOURCES), 'utf8')))).join(
    '\n',
  );
  /** Beginnings of keys that end with a value: `level.${level}`. */
  const prefixes = [...code.matchAll(/`([a-z]+\.[a-z_]*)\$\{/g)].map(([, prefix = '']) => prefix);
  const unused = Object.keys(en).filter((key) => {
    const base = key.replace(/_(?:one|other)$/, '');
    return (
      !code.includes(`'${key}'`) &&
      !code.includes(`'${base}'`) &&
      !prefixes.some((one) => key.startsWith(one))
    );
  });
  assert.deepEqual(unused, []);
});

test('the language is the first of the preferred ones that the app has', () => {
  assert.equal(languageFor(['pl', 'de-AT', 'en']), 'de');
  assert.equal(languageFor(['FR']), 'fr');
  assert.equal(languageFor(['ja']), 'en');
});

test('placeholders are filled with values as they are, once', () => {
  assert.equal(fill('{a} and {b}', { a: '{b}', b: '<b>' }), '{b} and <b>');
  assert.equal(fill('{unknown}', {}), '{unknown}');
});
