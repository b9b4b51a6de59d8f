import assert from 'node:assert/strict';
import { test } from 'node:test';
import { COUNTRIES } from '../../../../agent/src/resources/wifi/countries.ts';
import { COUNTRY_CODES, countryNames, likelyCountry } from './countries.ts';

test('the countries are those of the device', () => {
  assert.deepEqual(new Set(COUNTRY_CODES), COUNTRIES);
});

test('every country has a name, in the order of the language', () => {
  const names = countryNames('de');
  assert.ok(names.every(([code, name]) => name !== '' && name !== code));
  const at = (code: string) => names.findIndex(([one]) => one === code);
  assert.ok(at('EG') < at('DE') && at('AT') < at('PK'), 'Ägypten, Deutschland, Österreich, Pakistan');
});

test('the likely country is that of the first language with one', () => {
  assert.equal(likelyCountry(['en', 'de-AT', 'fr-FR']), 'AT');
  assert.equal(likelyCountry(['zh-Hant-TW']), 'TW');
  assert.equal(likelyCountry(['en', 'es-419', 'xx-ZZ']), undefined);
});
