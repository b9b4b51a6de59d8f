/** A bundle over the serial link takes the same way as one over HTTP. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MemoryPort } from '../../links/serial/memory-port.ts';
import { connect, failure, request } from '../../links/serial/test-link.ts';
import { MAX_CHUNK_BYTES } from '../../links/serial/uploads.ts';
import { endpoints } from '../all.ts';
import { bundle, sha256, type TestContent, testContent } from './tests/content.ts';

async function connected(t: { after(clean: () => Promise<void>): void }) {
  const content = await testContent(t);
  const { app, bus } = content;
  const { link, port } = await connect({ app, endpoints, bus });
  t.after(() => link.close());
  return { content, port };
}

function send(port: MemoryPort, id: number, name: string, bytes: Buffer): void {
  port.send(request(id, 'PUT', `/content/${name}`, { body_b64: '' }));
  const count = Math.ceil(bytes.length / MAX_CHUNK_BYTES);
  for (let seq = 0; seq < count; seq += 1) {
    const part = bytes.subarray(seq * MAX_CHUNK_BYTES, (seq + 1) * MAX_CHUNK_BYTES);
    port.send({ id, type: 'request_chunk', seq, last: seq === count - 1, data_b64: part.toString('base64') });
  }
}

async function endOf(content: TestContent, line: object): Promise<string> {
  const { body } = JSON.parse(JSON.stringify(line));
  return (await content.ended(body.operation_id)).state;
}

test('in chunks, and inline', { timeout: 120_000 }, async (t) => {
  const { content, port } = await connected(t);
  const large = await bundle('large', 700_000);
  send(port, 1, 'large', large);
  const answer = await port.line();
  assert.equal(answer.status, 202, JSON.stringify(answer));
  assert.equal(await endOf(content, answer), 'done');
  assert.equal(content.store.locate('large')?.sha256, sha256(large));
  const progress = content.events.map((event) => event.progress);
  assert.ok(
    progress.some((fraction) => fraction > 0.1 && fraction < 0.7),
    progress.join(' '),
  );

  const small = await bundle('small');
  port.send(request(2, 'PUT', '/content/small', { body_b64: small.toString('base64') }));
  const inline = await port.line();
  assert.equal(inline.status, 202);
  assert.equal(await endOf(content, inline), 'done');
  assert.equal(content.store.locate('small')?.sha256, sha256(small));
});

test('what is no archive is refused the same', { timeout: 120_000 }, async (t) => {
  const { content, port } = await connected(t);
  send(port, 1, 'menu', Buffer.alloc(100_000));
  assert.deepEqual(failure(await port.line()), { status: 400, code: 'bundle_invalid' });
  assert.deepEqual(await content.files(), []);
});
