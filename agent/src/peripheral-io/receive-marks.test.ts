import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReceiveMarks } from './receive-marks.ts';
import { hasReportIds } from './report-ids.ts';

test('marks are taken out, also in pieces of any size', () => {
  const bytes = Buffer.from('41ffff42ff000043ff004444ffff', 'hex');
  for (let size = 1; size <= bytes.length; size += 1) {
    const marks = new ReceiveMarks();
    let data = '';
    const errors: string[] = [];
    for (let at = 0; at < bytes.length; at += size) {
      const received = marks.take(bytes.subarray(at, at + size));
      data += received.data.toString('hex');
      errors.push(...received.errors);
    }
    assert.equal(data, '41ff424344ff', `pieces of ${size}`);
    assert.deepEqual(errors, ['BreakError', 'ParityError']);
  }
});

test('report ids are found, and not mistaken in the data of other items', () => {
  // Usage page (vendor), usage, collection, then a report of 8 bytes, without and with an id.
  const start = '0600ff0901a101';
  const end = '150026ff007508950809018102c0';
  assert.equal(hasReportIds(Buffer.from(start + end, 'hex')), false);
  assert.equal(hasReportIds(Buffer.from(`${start}8501${end}`, 'hex')), true);
  // 85 as data of one, two and four bytes, and in a long item.
  for (const item of ['0985', '0a8585', '0b85858585', 'fe028585 85'.replaceAll(' ', '')]) {
    assert.equal(hasReportIds(Buffer.from(start + item + end, 'hex')), false, item);
  }
  assert.equal(hasReportIds(Buffer.alloc(0)), false);
});
