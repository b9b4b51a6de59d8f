/** Uploads of bundles, from the request to the end of their operation. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { waitFor } from '../../../../testing/wait.ts';
import { MAX_UPLOADS } from './store.ts';
import { bundle, operationOf, sha256, testContent } from './tests/content.ts';
import { MIB, partialBody, SOON } from './tests/upload-bodies.ts';

test('stores a bundle unchanged and lists it', async (t) => {
  const content = await testContent(t);
  const bytes = await bundle('hello', 3 * MIB);
  const before = Date.now();
  const answer = await content.put('menu', bytes);
  const operation = operationOf(answer);
  assert.equal(operation.kind, 'content_upload');
  assert.equal(operation.state, 'running');
  assert.equal((await content.ended(operation.operation_id)).progress, 1);

  const { body } = await content.call('GET', '/content');
  const listed = JSON.parse(JSON.stringify(body));
  assert.ok(Math.abs(Date.parse(listed.bundles[0].created) - before) < 60_000);
  delete listed.bundles[0].created;
  assert.deepEqual(listed.bundles, [
    { name: 'menu', size_bytes: bytes.length, sha256: sha256(bytes), active: false },
  ]);
  assert.ok(listed.disk.free_bytes > 0 && listed.disk.total_bytes >= listed.disk.free_bytes);
  assert.deepEqual(await readFile(content.path('menu')), bytes);
  assert.deepEqual(await content.files(), ['menu.zip']);
  const { size, blocks } = await stat(content.path('menu'));
  assert.ok(blocks * 512 < size + 64 * 1024, 'no more of the disk is held than the file needs');
});

test('publishes progress while the body arrives and is verified', async (t) => {
  const content = await testContent(t);
  const bytes = await bundle('hello', 3 * MIB);
  const body = partialBody(bytes.subarray(0, MIB));
  const answer = content.put('menu', body, { 'content-length': String(bytes.length) });
  await waitFor(() => (content.events.at(-1)?.progress ?? 0) > 0.1, { ...SOON, what: 'progress' });
  assert.ok((content.events.at(-1)?.progress ?? 1) < 0.35, 'a third of the body has come');
  body.push(bytes.subarray(MIB));
  body.push(null);
  const { operation_id: id } = operationOf(await answer);
  await content.ended(id);
  const progress = content.events.map((event) => event.progress);
  assert.deepEqual(
    progress,
    progress.toSorted((a, b) => a - b),
    'it never goes back',
  );
  assert.deepEqual(content.events[0], {
    operation_id: id,
    kind: 'content_upload',
    name: 'menu',
    state: 'running',
    progress: 0,
    bytes_done: 0,
    bytes_total: bytes.length,
  });
  const done = content.events.map((event) => event.bytes_done);
  assert.ok(
    done.includes(bytes.length) && done.some((count) => count > 0 && count < bytes.length),
    done.join(),
  );
  assert.equal(content.events.at(-1)?.state, 'done');
  assert.ok(progress.length > 4);
});

test('two uploads at once are told apart, by name and by an id that the client chooses', async (t) => {
  const content = await testContent(t);
  const ids = [randomUUID(), randomUUID()];
  const bytes = await bundle('x', 1000);
  const bodies = ids.map(() => partialBody(bytes.subarray(0, 100)));
  const answers = ids.map((id, index) => {
    const body = bodies[index] ?? assert.fail();
    return content.put(`menu-${index}?operation_id=${id}`, body, {});
  });
  await waitFor(() => content.events.length >= 2, { ...SOON, what: 'both uploads' });
  for (const [index, id] of ids.entries()) {
    const { body } = await content.call('GET', `/operations/${id}`);
    const { name, state, bytes_done, bytes_total } = JSON.parse(JSON.stringify(body));
    assert.deepEqual([name, state, bytes_done, bytes_total], [`menu-${index}`, 'running', 100, null]);
  }
  const again = await content.put(`other?operation_id=${ids[0]}`, bytes);
  assert.deepEqual([again.status, again.code], [409, 'conflict']);
  assert.equal((await content.put('other?operation_id=mine', bytes)).code, 'bad_request');
  for (const body of bodies) {
    body.push(bytes.subarray(100));
    body.push(null);
  }
  for (const [index, answer] of answers.entries()) {
    const operation = operationOf(await answer);
    assert.equal(operation.operation_id, ids[index]);
    assert.deepEqual([operation.bytes_done, operation.bytes_total], [bytes.length, bytes.length]);
    await content.ended(operation.operation_id);
  }
  await content.stored('other', bytes);
});

test('refuses an invalid archive and keeps the existing bundle', async (t) => {
  const content = await testContent(t);
  const good = await bundle('good');
  await content.stored('menu', good);
  const damaged = Buffer.from(good);
  damaged.writeUInt8((damaged[45] ?? 0) ^ 0xff, 45);
  for (const [bytes, reason] of [
    [damaged, /index\.html/],
    [Buffer.from('no archive'), /./],
    [good.subarray(0, good.length - 1), /./],
  ] as const) {
    content.events.length = 0;
    const { status, code, body } = await content.put('menu', bytes);
    assert.deepEqual([status, code], [400, 'bundle_invalid']);
    assert.match(JSON.stringify(body), reason);
    const last = content.events.at(-1);
    assert.equal(last?.state, 'failed');
    assert.deepEqual(last?.error, body, 'the operation carries the same envelope');
    assert.equal(content.store.locate('menu')?.sha256, sha256(good));
    assert.deepEqual(await readFile(content.path('menu')), good);
    assert.deepEqual(await content.files(), ['menu.zip']);
  }
});

test('replaces a bundle and notifies the listeners', async (t) => {
  const content = await testContent(t);
  const told: string[] = [];
  content.store.onReplaced((name) => told.push(`${name} ${content.store.locate(name)?.sha256}`));
  const [first, second] = [await bundle('1'), await bundle('2', 1000)];
  await content.stored('menu', first);
  await content.stored('menu', second);
  assert.deepEqual(told, [`menu ${sha256(first)}`, `menu ${sha256(second)}`]);
  assert.deepEqual(await readFile(content.path('menu')), second);
  assert.equal((await content.call('POST', '/content/menu/check')).status, 200);
});

test('answers a second upload of the same name with conflict at once', async (t) => {
  const content = await testContent(t);
  const bytes = await bundle('first');
  const body = partialBody(bytes.subarray(0, 10));
  const first = content.put('menu', body);
  await waitFor(() => content.events.length > 0, { ...SOON, what: 'the first upload' });
  const second = await content.put('menu', await bundle('second'));
  assert.deepEqual([second.status, second.code], [409, 'conflict']);
  body.push(bytes.subarray(10));
  body.push(null);
  await content.ended(operationOf(await first).operation_id);
  assert.equal(content.store.locate('menu')?.sha256, sha256(bytes));
  assert.equal(new Set(content.events.map((event) => event.operation_id)).size, 1);
  await content.stored('menu', await bundle('third'));
});

test('an upload right after the answer to the one before waits until that is stored', async (t) => {
  const content = await testContent(t);
  for (let round = 0; round < 20; round += 1) {
    const bytes = await bundle(`round ${round}`, 1000);
    const { operation_id: id } = operationOf(await content.put('menu', bytes));
    const next = await bundle(`after ${round}`);
    const after = operationOf(await content.put('menu', next));
    assert.equal(content.operations.get(id).state, 'done');
    assert.equal((await content.ended(after.operation_id)).state, 'done');
    assert.equal(content.store.locate('menu')?.sha256, sha256(next));
  }
  // So does the deletion.
  const { operation_id: last } = operationOf(await content.put('menu', await bundle('last')));
  assert.equal((await content.call('DELETE', '/content/menu')).status, 204);
  assert.equal(content.operations.get(last).state, 'done');
  assert.deepEqual(await content.files(), []);
});

test('uploads that broke off do not count', async (t) => {
  const content = await testContent(t);
  const bodies = Array.from({ length: MAX_UPLOADS }, () => partialBody(Buffer.from('PK')));
  const answers = bodies.map((body, index) => content.put(`menu-${index}`, body));
  await waitFor(() => content.events.length === MAX_UPLOADS, { ...SOON, what: 'all uploads' });
  for (const body of bodies) body.destroy(new Error('gone'));
  const others = ['menu-1', 'one-more'].map(async (name) => content.stored(name, await bundle(name)));
  await Promise.allSettled(answers);
  await Promise.all(others);
});

test('limits the number of concurrent uploads', async (t) => {
  const content = await testContent(t);
  const bodies = Array.from({ length: MAX_UPLOADS }, () => partialBody(Buffer.from('PK')));
  const answers = bodies.map((body, index) => content.put(`menu-${index}`, body));
  await waitFor(() => content.events.length === MAX_UPLOADS, { ...SOON, what: 'all uploads' });
  const refused = await content.put('one-more', await bundle('x'));
  assert.deepEqual([refused.status, refused.code], [429, 'too_many_requests']);
  for (const body of bodies) body.push(null);
  for (const answer of answers) assert.equal((await answer).code, 'bundle_invalid');
  await content.stored('one-more', await bundle('x'));
});

test('fails the operation of a bundle that cannot be put into place', async (t) => {
  const content = await testContent(t);
  const bytes = await bundle('x');
  const body = partialBody(bytes.subarray(0, 100));
  const answer = content.put('menu', body, { 'content-length': String(bytes.length) });
  // It begins when the space has been reserved; until then the file would be made again.
  await waitFor(() => content.events.length > 0, { ...SOON, what: 'the operation' });
  const [file = assert.fail('there is no temporary file')] = await content.files();
  await rm(join(content.folder, file));
  body.push(bytes.subarray(100));
  body.push(null);
  const { operation_id: id } = operationOf(await answer);
  const ended = await content.ended(id);
  assert.equal(ended.state, 'failed');
  assert.equal(ended.error?.error.code, 'internal');
  assert.equal(content.store.locate('menu'), undefined);
  assert.deepEqual(
    (await content.files()).filter((name) => name.endsWith('.tmp')),
    [],
  );
});
