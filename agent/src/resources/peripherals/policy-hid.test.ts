import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hidForPage } from './policy.ts';
import { hidPeripheral } from './tests/peripherals.ts';
import {
  BOOT_KEYBOARD,
  BOOT_MOUSE,
  hex,
  KEYBOARD_AND_VENDOR,
  SCANNER,
  VENDOR,
} from './tests/report-descriptors.ts';

describe('what a page gets of a HID device', () => {
  const given = (...descriptors: Uint8Array[]) => {
    const { collections, input, output, feature } = hidForPage(hidPeripheral(Buffer.concat(descriptors)));
    return {
      usages: collections.map(({ usagePage, usage }) => `${usagePage.toString(16)}/${usage}`),
      input: [...input],
      output: [...output],
      feature: [...feature],
    };
  };
  const nothing = { usages: [], input: [], output: [], feature: [] };
  /** A collection with a report of each type. */
  const part = (start: string, ...ids: number[]) =>
    hex(
      `${start} a101 1500 2501 7508 9501` +
        ids.map((id) => `85${id.toString(16).padStart(2, '0')} 0901 8102 0901 9102 0901 b102`).join('') +
        'c0',
    );
  const [vendor, keyboard] = ['0600ff0901', '05010906'];

  test('everything, if nothing is protected', () => {
    assert.deepEqual(given(VENDOR), { usages: ['ff00/1'], input: [0], output: [0], feature: [0] });
    assert.deepEqual(given(SCANNER), { usages: ['8c/2'], input: [2], output: [4], feature: [] });
  });
  test('the other collections and their reports', () =>
    assert.deepEqual(given(KEYBOARD_AND_VENDOR), {
      usages: ['ff00/1'],
      input: [2],
      output: [2],
      feature: [3],
    }));
  test('the same in the other order', () =>
    assert.deepEqual(given(part(vendor, 2), part(keyboard, 1)), {
      usages: ['ff00/1'],
      input: [2],
      output: [2],
      feature: [2],
    }));
  test('no report that a protected collection also has', () =>
    assert.deepEqual(given(part(keyboard, 1), part(vendor, 1, 2)), {
      usages: ['ff00/1'],
      input: [2],
      output: [2],
      feature: [2],
    }));
  test('nothing, if all reports are also those of a protected collection', () =>
    assert.deepEqual(given(part(keyboard, 1), part(vendor, 1)), nothing));
  test('nothing, if reports have no ids and a collection is protected', () => {
    assert.deepEqual(given(BOOT_MOUSE, VENDOR), nothing);
    assert.deepEqual(given(BOOT_KEYBOARD, part(vendor, 2)), nothing);
    assert.deepEqual(given(VENDOR, part(keyboard, 1)), nothing);
  });
  test('nothing of a keyboard, or of a device without collections', () => {
    assert.deepEqual(given(BOOT_KEYBOARD), nothing);
    assert.deepEqual(given(), nothing);
  });
});
