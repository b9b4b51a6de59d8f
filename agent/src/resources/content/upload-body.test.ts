/** Upload bodies that are refused, break off or have an unknown length. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { waitFor } from '../../../../testing/wait.ts';
import { listen } from '../../links/http.ts';
import { bundle, operationOf, sha256, testContent } from './tests/content.ts';
import { chunks, diskOf, MIB, partialBody, SOON } from './tests/upload-bodies.ts';

test('receives a body of unknown length over HTTP', async (t) => {
  const content = await testContent(t);
  const bytes = await bundle('hello', 20 * MIB);
  const link = await listen(content.app, [{ host: '127.0.0.1', port: 0 }]);
  t.after(() => link.close());
  const answer = await fetch(`${link.addresses[0]}/api/v1/content/menu`, {
    method: 'PUT',
    headers: { 'content-type': 'application/zip' },
    body: ReadableStream.from(chunks(bytes)),
    duplex: 'half',
  });
  assert.equal(answer.status, 202);
  const operation: unknown = await answer.json();
  await content.ended(operationOf({ status: 202, code: undefined, body: operation }).operation_id);
  assert.equal(content.store.locate('menu')?.sha256, sha256(bytes));
  const { size, blocks } = await stat(content.path('menu'));
  assert.equal(size, bytes.length);
  assert.ok(blocks * 512 < size + 64 * 1024, 'room that was taken ahead is given back');
});

for (const [what, change] of [
  ['more', 5],
  ['less', -5],
] as const) {
  test(`a body with ${what} bytes than announced is refused`, async (t) => {
    const content = await testContent(t);
    const bytes = await bundle('hello');
    const announced = String(bytes.length - change);
    const { status, code } = await content.put('menu', Readable.from([bytes]), {
      'content-length': announced,
    });
    assert.deepEqual([status, code], [400, 'bad_request']);
    assert.equal(content.events.at(-1)?.error?.error.code, 'bad_request');
    assert.deepEqual(await content.files(), []);
  });
}

test('fails the upload of a client that leaves, and removes its file', async (t) => {
  const content = await testContent(t);
  const link = await listen(content.app, [{ host: '127.0.0.1', port: 0 }]);
  t.after(() => link.close());
  const bytes = await bundle('hello', 2 * MIB);
  const sent = request(`${link.addresses[0]}/api/v1/content/menu`, {
    method: 'PUT',
    headers: { 'content-type': 'application/zip', 'content-length': bytes.length },
  });
  sent.on('error', () => undefined);
  sent.write(bytes.subarray(0, MIB));
  await waitFor(() => (content.events.at(-1)?.progress ?? 0) > 0.1, { ...SOON, what: 'progress' });
  sent.destroy();
  await waitFor(() => content.events.at(-1)?.state === 'failed', { ...SOON, what: 'the end' });
  assert.equal(content.events.at(-1)?.error?.error.code, 'bad_request');
  assert.deepEqual(await content.files(), []);
  await content.stored('menu', bytes);
});

test('fails the upload when its stream fails, as on the serial link', async (t) => {
  const content = await testContent(t);
  const body = partialBody(Buffer.from('PK'));
  const answer = content.put('menu', body, { 'content-length': '1000' });
  await waitFor(() => content.events.length > 0, { ...SOON, what: 'the upload' });
  body.destroy(new Error('unplugged'));
  await assert.rejects(answer, /unplugged/);
  await waitFor(() => content.events.at(-1)?.state === 'failed', { ...SOON, what: 'the end' });
  assert.equal(content.events.at(-1)?.error?.error.code, 'bad_request');
  assert.deepEqual(await content.files(), []);
});

test('answers a refused HTTP upload while its body is still being sent', async (t) => {
  const content = await testContent(t, { disk: diskOf(MIB) });
  const link = await listen(content.app, [{ host: '127.0.0.1', port: 0 }]);
  t.after(() => link.close());
  const answer = await fetch(`${link.addresses[0]}/api/v1/content/menu`, {
    method: 'PUT',
    headers: { 'content-type': 'application/zip' },
    body: await bundle('x', 8 * MIB),
  });
  assert.equal(answer.status, 507);
  assert.match(await answer.text(), /"insufficient_storage"/);
});

test('refuses a body that is not a zip file at its first bytes and closes the connection', {
  timeout: 30_000,
}, async (t) => {
  const content = await testContent(t);
  const link = await listen(content.app, [{ host: '127.0.0.1', port: 0 }]);
  t.after(() => link.close());
  const headers = { 'content-type': 'application/zip' };
  for (const length of [{ 'content-length': 300 * MIB }, { 'transfer-encoding': 'chunked' }]) {
    const call = request(`${link.addresses[0]}/api/v1/content/menu`, {
      method: 'PUT',
      headers: { ...headers, ...length },
    });
    call.on('error', () => undefined);
    // One byte at a time, and then no more.
    call.write('P');
    call.write('D');
    const [answer] = await once(call, 'response');
    assert.equal(answer.statusCode, 400);
    assert.equal(answer.headers.connection, 'close');
    let text = '';
    for await (const chunk of answer) text += chunk;
    assert.match(text, /"bundle_invalid"/);
    const last = content.events.at(-1);
    assert.deepEqual([last?.state, last?.error?.error.code], ['failed', 'bundle_invalid']);
    assert.deepEqual(await content.files(), []);
    call.destroy();
  }
});

test('refuses an empty body', async (t) => {
  const content = await testContent(t);
  const link = await listen(content.app, [{ host: '127.0.0.1', port: 0 }]);
  t.after(() => link.close());
  const answer = await fetch(`${link.addresses[0]}/api/v1/content/menu`, {
    method: 'PUT',
    headers: { 'content-type': 'application/zip' },
    body: '',
  });
  assert.equal(answer.status, 400);
  assert.match(await answer.text(), /"bundle_invalid"/);
});

test('stops an upload when the store closes', async (t) => {
  const content = await testContent(t);
  const answer = content.put('menu', partialBody(Buffer.from('PK')), { 'content-length': '1000' });
  await waitFor(() => content.events.length > 0, { ...SOON, what: 'the operation' });
  await content.store.close();
  const { status, code } = await answer;
  assert.deepEqual([status, code], [503, 'unavailable']);
  assert.equal(content.events.at(-1)?.state, 'failed');
  assert.deepEqual(await content.files(), []);
});
