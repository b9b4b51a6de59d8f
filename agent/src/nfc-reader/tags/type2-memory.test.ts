import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  dataPositions,
  defaultLockBits,
  isLockedDynamically,
  isLockedStatically,
  ndefTlv,
  parseCapabilities,
  parseLayout,
} from './type2-memory.ts';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');
/** Memory with these bytes in the data area. */
const memory = (data: string): Buffer => Buffer.concat([Buffer.alloc(16), hex(data)]);

test('capability containers', () => {
  const readWrite = { isReadable: true, isWritable: true };
  const cases: readonly [string, ReturnType<typeof parseCapabilities>][] = [
    ['E1 10 06 00', { size: 48, ...readWrite }],
    ['E1 10 12 00', { size: 144, ...readWrite }],
    ['E1 11 6D 00', { size: 872, ...readWrite }],
    ['E1 10 EA 00', { size: 1008, ...readWrite }],
    ['E1 10 3E 0F', { size: 496, isReadable: true, isWritable: false }],
    ['E1 10 12 F0', { size: 144, isReadable: false, isWritable: true }],
    ['E1 20 12 00', undefined],
    ['E1 10 00 00', undefined],
    ['00 00 00 00', undefined],
    ['E1 10 12', undefined],
  ];
  for (const [cc, expected] of cases) assert.deepEqual(parseCapabilities(hex(cc)), expected, cc);
});

test('layouts: where the message is, what is reserved, and what is locked', () => {
  const none = { reserved: [], lockBits: [] };
  const cases: readonly [string, string, number, ReturnType<typeof parseLayout>][] = [
    ['a message', '03 02 D1 00 FE', 48, { tlv: 0, message: { start: 2, length: 2 }, ...none }],
    ['behind NULL TLVs', '00 00 03 00 FE', 48, { tlv: 2, message: { start: 4, length: 0 }, ...none }],
    ['behind another TLV', 'FD 02 AA BB 03 01 00', 48, { tlv: 4, message: { start: 6, length: 1 }, ...none }],
    ['a long length', '03 FF 01 00 00', 872, { tlv: 0, message: { start: 4, length: 256 }, ...none }],
    ['a terminator first', 'FE 03 00', 48, { tlv: undefined, message: undefined, ...none }],
    ['a length beyond the memory', '03 40', 48, { tlv: 0, message: undefined, ...none }],
    ['too little memory for it', '03', 48, 18],
    [
      'an NTAG213 as it is delivered',
      '01 03 A0 0C 34 03 00 FE',
      144,
      {
        tlv: 5,
        message: { start: 7, length: 0 },
        reserved: [{ start: 160, length: 2 }],
        lockBits: [{ start: 160, bits: 12, bytesPerBit: 8 }],
      },
    ],
    [
      'a reserved area',
      '02 03 50 04 34 03 01 FF',
      144,
      {
        tlv: 5,
        message: { start: 7, length: 1 },
        reserved: [{ start: 80, length: 4 }],
        lockBits: [],
      },
    ],
    ['a control TLV of a wrong length', '01 02 A0 0C 03 00', 144, undefined],
    ['more control TLVs than a tag needs', `${'02 03 F0 01 0F '.repeat(17)}03 00`, 144, undefined],
    ['no TLV up to the end', '00 '.repeat(8), 8, { tlv: undefined, message: undefined, ...none }],
  ];
  for (const [name, data, size, expected] of cases) {
    const layout = parseLayout(memory(data), size);
    assert.deepEqual(layout, expected, name);
  }
});

test('reserved bytes are left out of the data', () => {
  assert.deepEqual(dataPositions(16, [{ start: 18, length: 10 }]), [16, 17, 28, 29, 30, 31]);
});

test('lock bits', () => {
  assert.equal(isLockedStatically(16, hex('00 00 10 00')), true);
  assert.equal(isLockedStatically(20, hex('00 00 10 00')), false);
  assert.equal(isLockedStatically(63, hex('00 00 00 80')), true);
  assert.equal(isLockedStatically(64, hex('00 00 FF FF')), false);

  const version = (size: number): Buffer => Buffer.of(0, 4, 4, 2, 1, 0, size, 3);
  const places = [0x0f, 0x11, 0x13].map((size) => (defaultLockBits(144, version(size))?.start ?? 0) / 4);
  assert.deepEqual(places, [0x28, 0x82, 0xe2]);
  assert.deepEqual(defaultLockBits(144, undefined), { start: 160, bits: 12, bytesPerBit: 8 });
  assert.equal(defaultLockBits(48, undefined), undefined);

  const ntag215 = defaultLockBits(496, version(0x11));
  assert.ok(ntag215);
  assert.equal(isLockedDynamically(64, ntag215, hex('01')), true);
  assert.equal(isLockedDynamically(127, ntag215, hex('01')), true);
  assert.equal(isLockedDynamically(128, ntag215, hex('01')), false);
  assert.equal(isLockedDynamically(63, ntag215, hex('FF')), false);
});

test('the TLV of a message', () => {
  assert.deepEqual(ndefTlv(hex('D1 00')), hex('03 02 D1 00'));
  assert.deepEqual(ndefTlv(Buffer.alloc(255)).subarray(0, 4), hex('03 FF 00 FF'));
});

test('memory of random bytes never fails', () => {
  for (let run = 0; run < 20_000; run++) {
    const size = 8 + 8 * (run % 60);
    const bytes = Buffer.alloc(16 + (run % (size + 20)));
    for (let at = 0; at < bytes.length; at++) {
      bytes[at] =
        Math.random() < 0.6 ? ([0, 1, 2, 3, 0xff, 0xfe][Math.floor(Math.random() * 6)] ?? 0) : at * run;
    }
    const layout = parseLayout(bytes, size);
    if (typeof layout === 'number') assert.ok(layout > bytes.length && layout <= 16 + size);
  }
});
