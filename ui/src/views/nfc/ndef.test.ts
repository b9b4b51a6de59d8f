import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { base64Of, bytesOfBase64, bytesOfHex, hexOf } from './bytes.ts';
import { addressMessage, recordsOf, textMessage } from './ndef.ts';

const bytes = (hex: string) => bytesOfHex(hex) ?? assert.fail(hex);

test('texts and addresses are read as the standard has them', () => {
  // RTD Text and RTD URI, with their examples.
  assert.deepEqual(recordsOf(bytes('D1 01 08 54 02 65 6E 48 65 6C 6C 6F')), [
    { kind: 'text', language: 'en', text: 'Hello' },
  ]);
  assert.deepEqual(recordsOf(bytes('D1 01 08 55 01 6E 66 63 2E 63 6F 6D')), [
    { kind: 'address', text: 'http://www.nfc.com' },
  ]);
  assert.deepEqual(recordsOf(bytes('D1 01 07 54 82 64 65 00 E4 00 62')), [
    { kind: 'text', language: 'de', text: 'äb' },
  ]);
});

test('a smart poster is its records; other records have their type and size', () => {
  const poster = 'D1 02 0F 53 70 91 01 03 55 04 61 62 51 01 04 54 02 65 6E 41';
  assert.deepEqual(recordsOf(bytes(poster)), [
    { kind: 'address', text: 'https://ab' },
    { kind: 'text', language: 'en', text: 'A' },
  ]);
  assert.deepEqual(recordsOf(bytes('92 0A 02 74 65 78 74 2F 70 6C 61 69 6E 41 42 54 01 01 78 FF')), [
    { kind: 'media', type: 'text/plain', text: 'AB', size: 2 },
    { kind: 'other', type: 'x', size: 1 },
  ]);
  assert.deepEqual(recordsOf(bytes('D0 00 00')), [{ kind: 'empty' }]);
  assert.deepEqual(recordsOf(new Uint8Array()), []);
});

test('what is written is read again', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => {
      assert.deepEqual(recordsOf(textMessage(text, 'fr')), [{ kind: 'text', language: 'fr', text }]);
      const [record] = recordsOf(addressMessage(`https://www.${text}`)) ?? [];
      assert.deepEqual(record, { kind: 'address', text: `https://www.${text}` });
    }),
  );
  assert.equal(hexOf(addressMessage('https://a.b/')), 'D1 01 05 55 04 61 2E 62 2F');
});

test('any bytes are records or none, and never an error', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (message) => {
      assert.ok((recordsOf(message)?.length ?? 0) <= 32);
    }),
  );
  for (const damaged of ['D1', 'D1 01', 'D1 01 08 54', 'C1 01 FF FF FF FF 54', 'F1 01 00 54'])
    assert.equal(recordsOf(bytes(damaged)), undefined, damaged);
});

test('a long text is cut', () => {
  const [record] = recordsOf(textMessage('x'.repeat(5000), 'en')) ?? [];
  assert.equal(record?.kind === 'text' && record.text.length, 1001);
});

test('base64 and hexadecimal are read and written', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (value) => {
      assert.deepEqual(bytesOfBase64(base64Of(value)), value);
      assert.deepEqual(bytesOfHex(hexOf(value)), value);
    }),
  );
  assert.deepEqual(bytesOfHex('00:a4\n04 00'), Uint8Array.of(0, 0xa4, 4, 0));
  for (const text of ['0', 'xy', '0xA4', '00,A4']) assert.equal(bytesOfHex(text), undefined, text);
});
