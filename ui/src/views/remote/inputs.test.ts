import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { chord, inputsOfKey, isPlainKey, type KeyPress, MAX_TEXT, typing } from './inputs.ts';

const press = (key: string, more: Partial<KeyPress> = {}): KeyPress => ({
  key,
  shiftKey: false,
  ctrlKey: false,
  altKey: false,
  metaKey: false,
  isComposing: false,
  isAltGraph: false,
  ...more,
});

test('characters are typed as they are, whatever was pressed for them', () => {
  assert.deepEqual(inputsOfKey(press('A', { shiftKey: true })), [{ type: 'text', text: 'A' }]);
  assert.deepEqual(inputsOfKey(press(' ')), [{ type: 'text', text: ' ' }]);
  assert.deepEqual(inputsOfKey(press('😀')), [{ type: 'text', text: '😀' }]);
  // AltGr is Control and Alt on Windows, Alt on a Mac.
  const altGraph = { ctrlKey: true, altKey: true, isAltGraph: true };
  assert.deepEqual(inputsOfKey(press('@', altGraph)), [{ type: 'text', text: '@' }]);
  assert.deepEqual(inputsOfKey(press('@', { altKey: true })), [{ type: 'text', text: '@' }]);
});

test('keys with a name are pressed as a whole, within the modifiers that are held', () => {
  assert.deepEqual(inputsOfKey(press('Backspace')), [{ type: 'key', key: 'Backspace' }]);
  const both = inputsOfKey(press('End', { shiftKey: true, ctrlKey: true }));
  assert.deepEqual(both, chord('End', ['Control', 'Shift']));
  assert.deepEqual(both, [
    { type: 'key', key: 'Control', pressed: true },
    { type: 'key', key: 'Shift', pressed: true },
    { type: 'key', key: 'End' },
    { type: 'key', key: 'Shift', pressed: false },
    { type: 'key', key: 'Control', pressed: false },
  ]);
});

test('shortcuts of the browser and keys that the device does not take stay with the browser', () => {
  const kept = [
    press('v', { ctrlKey: true }),
    press('Tab', { altKey: true }),
    press('d', { altKey: true }),
    press('Enter', { metaKey: true }),
    press('a', { isComposing: true }),
    ...['F5', 'Shift', 'Control', 'Alt', 'Dead', 'Process', 'toString'].map((key) => press(key)),
  ];
  for (const one of kept) assert.equal(inputsOfKey(one), undefined, one.key);
  assert.equal(isPlainKey('toString'), false);
});

test('any text becomes what the device takes: no control characters, no halves of characters, not too long', () => {
  assert.deepEqual(typing('a\r\nb\rc\td\u0000\u0085'), [{ type: 'text', text: 'a\nb\nc\td' }]);
  assert.deepEqual(typing('\u0007'), []);
  assert.equal(typing('x'.repeat(MAX_TEXT + 1)), undefined);
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 50 }), (text) => {
      for (const { text: typed = '' } of typing(text) ?? []) {
        assert.match(typed, /^(?:[^\p{Cc}]|[\n\t])+$/u);
        assert.ok(typed.isWellFormed());
      }
    }),
  );
});
