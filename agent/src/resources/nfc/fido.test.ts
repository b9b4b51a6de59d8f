import assert from 'node:assert/strict';
import { test } from 'node:test';
import { selectsFido } from './fido.ts';

test('every command that can select the FIDO application, and no other one', () => {
  for (const [apdu, expected] of [
    ['00a4040008a0000006472f0001', true],
    ['00a4040008a0000006472f000100', true],
    ['00a4040c08a0000006472f0001', true],
    ['01a4040008a0000006472f0001', true],
    ['00a4040009a0000006472f000199', true],
    ['00a4040005a000000647', true],
    ['00a4040001a0', true],
    ['00a40400000008a0000006472f00010000', true],
    ['10a4040004a0000006', true],
    ['00a4040008a0000006472f0002', false],
    ['00a4040007d2760000850101', false],
    ['00a4040000', false],
    ['00a40400', false],
    ['00a4000c02e103', false],
    ['00b0040008a0000006472f0001', false],
  ] as const) {
    assert.equal(selectsFido(Buffer.from(apdu, 'hex')), expected, apdu);
  }
});
