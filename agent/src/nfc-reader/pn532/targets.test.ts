import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReaderError } from '../errors.ts';
import { parseTargets } from './targets.ts';

const CARD = '01 0344 20 07 04112233445566';
const NTAG = '02 0044 00 07 04A1B2C3D4E5F6';

const uids = (answer: string): string[] =>
  parseTargets(Buffer.from(answer.replaceAll(' ', ''), 'hex')).map(({ uid }) => uid.toString('hex'));

test('lists of tags', () => {
  const [card, ntag] = ['04112233445566', '04a1b2c3d4e5f6'];
  const cases: readonly [string, string, string[]][] = [
    ['none', '00', []],
    ['two', `02 ${CARD} 05 78807002 ${NTAG}`, [card, ntag]],
    ['a card without an ATS', `01 ${CARD}`, [card]],
    ['an ATS of length 0', `01 ${CARD} 00`, [card]],
    ['an ATS that is longer than the answer', `02 ${CARD} 50 7880 ${NTAG}`, [card]],
    ['an ATS that ends too early', `02 ${CARD} 02 78807002 ${NTAG}`, [card]],
    ['an ATS that contains the same tag', `02 ${CARD} 01 ${CARD}`, [card]],
  ];
  for (const [name, answer, expected] of cases) assert.deepEqual(uids(answer), expected, name);
  for (const answer of ['', '03', '01', '01 01 0044 00 07 04', '01 01 0044 00 05 0411223344']) {
    assert.throws(() => uids(answer), ReaderError, answer);
  }
});
