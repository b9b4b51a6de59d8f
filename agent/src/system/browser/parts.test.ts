import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ProtocolViolation } from '../../base/json-line-peer.ts';
import { PartsReader } from './parts.ts';

const LIMIT = 40;

/** What a reader gives for these messages, without the undefined of parts. */
function read(messages: readonly object[]): unknown[] {
  const reader = new PartsReader(() => LIMIT);
  return messages.map((message) => reader.take(message)).filter((message) => message !== undefined);
}

function partsOf(body: number, pieces: readonly string[]): { body: number; part: number; data: string }[] {
  return pieces.map((data, part) => ({ body, part, data }));
}

const pieces = fc.array(fc.string({ minLength: 1, maxLength: 10 }), { minLength: 1, maxLength: 6 });

test('puts texts together, up to the limit, and passes other messages in between', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(pieces, fc.array(fc.json()))), (texts) => {
      const messages: object[] = [];
      const expected: unknown[] = [];
      for (const [body, [data, others]] of texts.entries()) {
        const parts = partsOf(body, data);
        messages.push(...parts.slice(0, 1), ...others.map((text) => ({ event: text })), ...parts.slice(1));
        messages.push({ id: body, field: 'png', body, parts: parts.length });
        expected.push(...others.map((text) => ({ event: text })));
        const whole = data.join('');
        expected.push(whole.length <= LIMIT ? { id: body, png: whole } : { id: body });
      }
      assert.deepEqual(read(messages), expected);
    }),
  );
});

test('a part that is missing, doubled, empty or of another text is a violation', () => {
  fc.assert(
    fc.property(
      pieces,
      fc.nat(5),
      fc.constantFrom('missing', 'doubled', 'empty', 'foreign'),
      (data, place, fault) => {
        const parts = partsOf(1, data);
        const at = place % parts.length;
        const broken = parts[at];
        assert.ok(broken);
        const instead = {
          missing: [],
          doubled: [broken, broken],
          empty: [{ ...broken, data: '' }],
          foreign: [{ ...broken, body: 9 }],
        }[fault];
        const sent: object[] = [...parts];
        sent.splice(at, 1, ...instead);
        const end = { id: 1, field: 'png', body: 1, parts: parts.length };
        assert.throws(() => read([...sent, end]), ProtocolViolation);
      },
    ),
  );
});

test('a text has a limited number of parts, and one that is not ended is not replaced', () => {
  const many = partsOf(1, Array<string>(4000).fill('x'));
  assert.throws(() => read(many), /too many parts/);
  assert.throws(() => read([...partsOf(1, ['a']), ...partsOf(2, ['a'])]), /out of order/);
});

test('takes any message: a part, a message or a violation', () => {
  const message = fc.record(
    { body: fc.nat(2), part: fc.integer(), parts: fc.nat(3), data: fc.string(), field: fc.string() },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(message, fc.object())), (messages) => {
      const reader = new PartsReader(() => LIMIT);
      for (const each of messages) {
        try {
          reader.take(each);
        } catch (error) {
          assert.ok(error instanceof ProtocolViolation);
        }
      }
    }),
  );
});
