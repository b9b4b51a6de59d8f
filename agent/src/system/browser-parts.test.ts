import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { PartsReader } from './browser-parts.ts';

const LIMIT = 40;

/** What a reader gives for these messages, without the undefined of parts. */
function read(messages: readonly unknown[]): unknown[] {
  const reader = new PartsReader(LIMIT);
  return messages.map((message) => reader.take(message)).filter((message) => message !== undefined);
}

function partsOf(body: number, pieces: readonly string[]): { body: number; part: number; data: string }[] {
  return pieces.map((data, part) => ({ body, part, data }));
}

const pieces = fc.array(fc.string({ maxLength: 10 }), { minLength: 1, maxLength: 6 });

test('puts texts together, up to the limit, and passes other messages in between', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(pieces, fc.array(fc.json()))), (texts) => {
      const messages: unknown[] = [];
      const expected: unknown[] = [];
      for (const [body, [data, others]] of texts.entries()) {
        const parts = partsOf(body, data);
        messages.push(parts[0], ...others.map((text) => ({ event: text })), ...parts.slice(1));
        messages.push({ id: body, field: 'png', body, parts: parts.length });
        expected.push(...others.map((text) => ({ event: text })));
        const whole = data.join('');
        expected.push(whole.length <= LIMIT ? { id: body, png: whole } : { id: body });
      }
      assert.deepEqual(read(messages), expected);
    }),
  );
});

test('a text with a part missing, doubled or of another text is dropped, and the next one is whole', () => {
  fc.assert(
    fc.property(pieces, fc.nat(5), fc.constantFrom('missing', 'doubled', 'foreign'), (data, place, fault) => {
      const parts = partsOf(1, data);
      const at = place % parts.length;
      const [broken] = parts.slice(at);
      const count = { missing: 0, doubled: 2, foreign: 1 }[fault];
      const other = fault === 'foreign' ? { ...broken, body: 9 } : broken;
      const sent: unknown[] = [...parts];
      sent.splice(at, 1, ...Array.from({ length: count }, () => other));
      const [message, next] = read([
        ...sent,
        { id: 1, field: 'png', body: 1, parts: parts.length },
        ...partsOf(2, ['next']),
        { id: 2, field: 'png', body: 2, parts: 1 },
      ]);
      // The first part doubled is a text that starts again, and whole.
      if (fault !== 'doubled' || at > 0) assert.deepEqual(message, { id: 1 });
      assert.deepEqual(next, { id: 2, png: 'next' });
    }),
  );
});

test('takes any message without throwing, and gives a message for each that is no part', () => {
  const message = fc.record(
    { body: fc.nat(2), part: fc.integer(), parts: fc.nat(3), data: fc.string(), field: fc.string() },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(message, fc.jsonValue())), (messages) => {
      const reader = new PartsReader(LIMIT);
      for (const each of messages) reader.take(each);
    }),
  );
});
