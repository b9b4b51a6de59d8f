import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { activeCopy, decode, type Environment, encode } from './environment.ts';

const SIZE = 0x400;
const SECTOR = 512;

const variables = fc.dictionary(
  fc.stringMatching(/^[A-Za-z][A-Za-z0-9_]{0,15}$/),
  fc.stringMatching(/^[ -~]{0,20}$/),
  { maxKeys: 8, noNullPrototype: true },
);
const environment = fc.record(
  { generation: fc.integer({ min: 0, max: 255 }), variables },
  { noNullPrototype: true },
);

test('an encoded environment is decoded unchanged', () => {
  fc.assert(
    fc.property(environment, (made) => {
      assert.deepEqual(decode(encode(made, SIZE), SIZE), made);
      const longer = Buffer.concat([encode(made, SIZE), Buffer.from('tail')]);
      assert.deepEqual(decode(longer, SIZE), made);
    }),
  );
});

test('a copy created by mkenvimage, which pads with 255, is decoded', () => {
  // printf 'BOOT_ORDER=A B\n' | mkenvimage -r -s 32 -o - -
  const made = Buffer.from(`2577eb9601424f4f545f4f524445523d4120420000${'ff'.repeat(11)}`, 'hex');
  assert.deepEqual(decode(made, 32), { generation: 1, variables: { BOOT_ORDER: 'A B' } });
});

test('a flipped bit anywhere except in the generation makes a copy invalid', () => {
  fc.assert(
    fc.property(environment, fc.integer({ min: 0, max: SIZE * 8 - 1 }), (made, bit) => {
      const copy = encode(made, SIZE);
      const at = bit >> 3;
      copy.writeUInt8(copy.readUInt8(at) ^ (1 << (bit & 7)), at);
      assert.equal(decode(copy, SIZE) === undefined, at !== 4);
    }),
  );
});

test('a torn write results in the old copy, the new one or an invalid one', () => {
  fc.assert(
    fc.property(
      environment,
      environment,
      fc.array(fc.boolean(), { minLength: 2, maxLength: 2 }),
      (a, b, kept) => {
        const [before, after] = [encode(a, SIZE), encode(b, SIZE)];
        const torn = Buffer.from(before);
        kept.forEach((written, i) => {
          if (written) after.copy(torn, i * SECTOR, i * SECTOR, (i + 1) * SECTOR);
        });
        const found = decode(torn, SIZE);
        const same = (x: Environment): boolean => x === found || encode(x, SIZE).equals(torn);
        assert.ok(found === undefined || same(a) || same(b));
      },
    ),
  );
});

test('a missing or short copy is invalid', () => {
  const copy = encode({ generation: 1, variables: { A: '1' } }, SIZE);
  for (const file of [undefined, Buffer.alloc(0), copy.subarray(0, 4), copy.subarray(0, SIZE - 1)]) {
    assert.equal(decode(file, SIZE), undefined);
  }
});

test('the copy with the next generation is active, including the wrap-around, whichever copy it is', () => {
  for (let generation = 0; generation < 256; generation++) {
    const older = { generation, variables: {} };
    const newer = { generation: (generation + 1) % 256, variables: {} };
    assert.equal(activeCopy(older, newer), 1);
    assert.equal(activeCopy(newer, older), 0);
    assert.equal(activeCopy(older, older), 0);
    assert.equal(activeCopy(older, undefined), 0);
    assert.equal(activeCopy(undefined, older), 1);
  }
  assert.equal(activeCopy(undefined, undefined), undefined);
});
