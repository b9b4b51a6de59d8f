/** Each fault of a chunk is named, and ends its upload. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_CHUNK_BYTES, NO_UPLOADS, type UploadEffect, uploadMachine } from './upload-machine.ts';

const MAX_BYTES = MAX_CHUNK_BYTES + 1;
const base64 = (bytes: number) => Buffer.alloc(bytes).toString('base64');
const good = { seq: 1, last: false, data_b64: base64(1) };
const issue = (path: string, message: string) => ({ issues: [{ path, message }] });

/** The effects of a second chunk; the first has as many bytes as a chunk may have. */
function second(frame: object, maxBytes: number | undefined): readonly UploadEffect[] {
  const first = { seq: 0, last: false, data_b64: base64(MAX_CHUNK_BYTES) };
  const begun = uploadMachine(NO_UPLOADS, { event: 'begin', id: '1', maxBytes });
  const { state } = uploadMachine(begun.state, { event: 'chunk', id: '1', frame: first });
  return uploadMachine(state, { event: 'chunk', id: '1', frame: { ...frame } }).effects;
}

for (const [what, change, code, details] of [
  ['last is no boolean', { last: 1 }, 'bad_request', issue('/last', 'must be boolean')],
  ['the data is no string', { data_b64: 1 }, 'bad_request', issue('/data_b64', 'must be string')],
  ['the data is not base64', { data_b64: '-' }, 'bad_request', issue('/data_b64', 'must be base64')],
  ['a chunk is missing', { seq: 2 }, 'bad_request', { expected_seq: 1, ...issue('/seq', 'must be 1') }],
  [
    'it is too long',
    { data_b64: base64(MAX_CHUNK_BYTES + 1) },
    'payload_too_large',
    { max_bytes: MAX_CHUNK_BYTES },
  ],
  ['the upload is too long', { data_b64: base64(2) }, 'payload_too_large', { max_bytes: MAX_BYTES }],
] as const) {
  test(`a chunk is refused if ${what}`, () => {
    const effects = second({ ...good, ...change }, MAX_BYTES);
    const reject = effects.find((effect) => effect.do === 'reject');
    assert.deepEqual(
      [reject?.id, reject?.error.code, reject?.error.details],
      ['1', code, details],
      JSON.stringify(effects),
    );
    assert.ok(effects.some((effect) => effect.do === 'destroy'));
  });
}

test('an upload may have as many bytes as its endpoint takes, and any number without a limit', () => {
  assert.deepEqual(second(good, MAX_BYTES)[0]?.do, 'push');
  assert.deepEqual(second({ ...good, data_b64: base64(2) }, undefined)[0]?.do, 'push');
});
