import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseBoots, rollbackReason } from './trial-record.ts';

const REASONS: readonly [what: string, boots: string, failure: string, code: string, message: RegExp][] = [
  [
    'nothing is recorded',
    '',
    '',
    'boot_failed',
    /^Slot b has no boot attempts left; it never reached its init/,
  ],
  ['three starts', 'b -\nb -\nb -\na -\n', '', 'boot_failed', /its system started 3 times and/],
  [
    'three panics',
    'b -\nb panic one\nb panic two\na panic Attempted to kill init!\n',
    '',
    'kernel_panic',
    /its kernel panicked: Attempted to kill init!\.$/,
  ],
  ['a panic before a clean start', 'b -\nb panic one\nb -\na -\n', '', 'boot_failed', /started 3 times/],
  [
    'a watchdog reset',
    'b -\nb watchdog\nb watchdog\na watchdog\n',
    '',
    'watchdog',
    /the watchdog reset it last/,
  ],
  ['a record that is cut off', 'b -\nb wat', '', 'boot_failed', /started 2 times/],
  ['the deadline', 'b -\n', 'unhealthy\nIt waits.\n', 'unhealthy', /^It waits\.$/],
  ['the deadline without its sentence', '', 'unhealthy', 'unhealthy', /not confirmed/],
  ['the boots of the fallback', 'b -\na watchdog\na panic later\n', '', 'watchdog', /watchdog/],
];

for (const [what, boots, failure, code, message] of REASONS) {
  test(`the reason of a rollback: ${what}`, () => {
    const reason = rollbackReason('b', boots, failure);
    assert.equal(reason.code, code);
    assert.match(reason.message, message);
  });
}

test('any record gives a short reason without control characters', () => {
  const line = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('a -', 'b -', 'b panic \u0000x', '- watchdog', 'b'),
  );
  const text = fc.array(line, { maxLength: 40 }).map((lines) => lines.join('\n'));
  fc.assert(
    fc.property(text, text, (boots, failure) => {
      assert.ok(parseBoots(boots).length <= boots.split('\n').length);
      const { message } = rollbackReason('b', boots, failure);
      assert.match(message, /^[\x20-\x7e]{1,600}$/);
    }),
  );
});
