import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makePng, SIGNATURE } from '../../../../testing/make-png.ts';
import { faultOf, isSame } from './picture-file.ts';

function blob(...parts: Uint8Array[]): Blob {
  return new Blob(parts.map((part) => new Uint8Array(part)));
}

/** The beginning of a PNG of a size. */
function header(width: number, height: number): Buffer {
  const size = Buffer.alloc(8);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  return Buffer.concat([SIGNATURE, Buffer.from('\0\0\0\rIHDR', 'latin1'), size]);
}

test('a PNG within the limits of the device is accepted, everything else is refused', async () => {
  assert.equal(await faultOf(blob(makePng())), undefined);
  assert.equal(await faultOf(blob(header(8192, 4096))), undefined);
  for (const other of [[], [...SIGNATURE], [0xff, 0xd8, ...new Array(40).fill(0)]]) {
    assert.equal(await faultOf(blob(new Uint8Array(other))), 'not_png');
  }
  assert.equal(await faultOf(blob(header(8193, 1))), 'too_many_pixels');
  assert.equal(await faultOf(blob(header(8192, 4097))), 'too_many_pixels');
  assert.equal(await faultOf(blob(header(10, 10), new Uint8Array(4 * 1024 * 1024))), 'too_large');
});

test('files are compared byte by byte', () => {
  const bytes = new Uint8Array([1, 2, 3]);
  assert.equal(isSame(new Uint8Array([1, 2, 3]), bytes), true);
  assert.equal(isSame(new Uint8Array([1, 2]), bytes), false);
  assert.equal(isSame(new Uint8Array([1, 2, 4]), bytes), false);
  assert.equal(isSame(undefined, bytes), false);
});
