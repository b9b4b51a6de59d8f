import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseEdid } from './edid.ts';

const SIZE = { width: 518, height: 324 };

/** A base block with two detailed timings and a name: 1920x1080 at 148.5 MHz, 1280x720 at 74.25 MHz. */
function block(): Buffer {
  const edid = Buffer.alloc(128);
  Buffer.from([0, 255, 255, 255, 255, 255, 255, 0]).copy(edid);
  edid.writeUInt16BE((4 << 10) | (5 << 5) | 12, 8); // DEL
  Buffer.from('023a801871382d40582c450000000000001e', 'hex').copy(edid, 54);
  Buffer.from([0x06, 0x44, 0x21]).copy(edid, 66); // 518 mm, 324 mm
  Buffer.from('011d007251d01e206e2855000000000000001e'.slice(0, 36), 'hex').copy(edid, 72);
  Buffer.from([0, 0, 0, 0xfc, 0, ...Buffer.from('DELL U2412M\n ')]).copy(edid, 90);
  return sealed(edid);
}

function sealed(edid: Buffer): Buffer {
  edid[127] = 0;
  edid[127] = (256 - (edid.reduce((sum, byte) => sum + byte, 0) % 256)) % 256;
  return edid;
}

test('reads manufacturer, name and the exact modes', () => {
  assert.deepEqual(parseEdid(block()), {
    make: 'DEL',
    model: 'DELL U2412M',
    modes: ['1920x1080@60', '1280x720@60'],
    sizeMm: SIZE,
  });
});

test('ignores descriptors that break the standard', () => {
  const edid = block();
  edid.writeUInt16BE(0, 8);
  edid.fill(0, 90, 108);
  edid.fill(0, 72, 90);
  assert.deepEqual(parseEdid(sealed(edid)), {
    make: null,
    model: null,
    modes: ['1920x1080@60'],
    sizeMm: SIZE,
  });
});

test('the size is in mm, else in cm, and a ratio is no size', () => {
  const edid = block();
  Buffer.from([160, 90, 0]).copy(edid, 66);
  assert.equal(parseEdid(sealed(edid))?.sizeMm, null);
  Buffer.from([52, 32]).copy(edid, 21);
  assert.deepEqual(parseEdid(sealed(edid))?.sizeMm, { width: 520, height: 320 });
  Buffer.from([16, 9]).copy(edid, 21);
  assert.equal(parseEdid(sealed(edid))?.sizeMm, null);
});

test('returns undefined for bytes that are not an EDID', () => {
  const wrongSum = block();
  wrongSum[20] = 1;
  assert.equal(parseEdid(wrongSum), undefined);
  assert.equal(parseEdid(Buffer.alloc(0)), undefined);
  assert.equal(parseEdid(Buffer.alloc(128)), undefined);
  assert.equal(parseEdid(block().subarray(0, 127)), undefined);
});

test('never throws, whatever a monitor sends', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 110, maxLength: 110 }), (bytes) => {
      const edid = block();
      Buffer.from(bytes).copy(edid, 8);
      const read = parseEdid(sealed(edid));
      for (const mode of read?.modes ?? []) assert.match(mode, /^\d+x\d+@\d+(\.\d+)?$/);
    }),
  );
});
