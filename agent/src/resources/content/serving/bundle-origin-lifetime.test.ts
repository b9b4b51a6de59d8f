/** Which archives are open while bundles are read, replaced and no longer displayed. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { waitFor } from '../../../../../testing/wait.ts';
import { INDEX, LARGE, noise, Site } from './tests/bundle-site.ts';

const WAIT = { timeoutMs: 60_000 };

test('a running answer is completed although the bundle is replaced or deleted', async (t) => {
  const old = noise(LARGE, 1);
  const site = await Site.open(t, [INDEX, { name: 'film.mp4', content: old, stored: true }]);
  const film = await site.start('/film.mp4');
  await site.store([INDEX, { name: 'film.mp4', content: 'new', stored: true }]);
  assert.equal((await site.get('/film.mp4')).body.toString(), 'new');
  assert.equal(site.origin.openBundles, 2);
  const { path } = site.file ?? assert.fail();
  site.file = undefined;
  await rm(path);
  assert.equal((await site.get('/film.mp4')).status, 404);
  assert.ok((await buffer(film)).equals(old));
  await waitFor(() => site.origin.openBundles === 0, { ...WAIT, what: 'the deleted bundles to be closed' });
});

test('nothing stays open after clients disconnect', async (t) => {
  const site = await Site.open(t, [
    INDEX,
    { name: 'stored.bin', content: noise(LARGE), stored: true },
    { name: 'deflated.txt', content: noise(LARGE) },
  ]);
  for (const [path, headers] of [
    ['/stored.bin', {}],
    ['/deflated.txt', {}],
    ['/deflated.txt', { 'accept-encoding': 'gzip' }],
    ['/deflated.txt', { range: 'bytes=1000-' }],
  ] as const) {
    const answer = await site.start(path, headers);
    await once(answer, 'readable');
    answer.destroy();
  }
  // A client that disconnects while the data before its range is unpacked.
  const early = connect(site.port, '127.0.0.1');
  early.write(`GET /deflated.txt HTTP/1.1\r\nHost: menu.localhost:${site.port}\r\nRange: bytes=-1\r\n\r\n`);
  await once(early, 'connect');
  early.resetAndDestroy();
  // It stays open for the next request while it is displayed.
  assert.equal((await site.get('/')).status, 200);
  assert.equal(site.origin.openBundles, 1);
  site.active = undefined;
  await waitFor(() => site.origin.openBundles === 0, { ...WAIT, what: 'the bundle to be closed' });
  await waitFor(async () => (await site.openFiles()) === 0, { ...WAIT, what: 'the file to be closed' });
});

test('an archive that is no longer displayed can be closed at once', async (t) => {
  const site = await Site.open(t, [INDEX]);
  assert.equal((await site.get('/')).status, 200);
  await site.origin.closeUnused();
  assert.equal(site.origin.openBundles, 1, 'it is on the screen');
  site.active = undefined;
  await site.origin.closeUnused();
  assert.equal(await site.openFiles(), 0);
});

test('the number of open archives is bounded, and further requests get 503', async (t) => {
  const site = await Site.open(t, [INDEX]);
  const films: IncomingMessage[] = [];
  for (let version = 0; version < 4; version++) {
    await site.store([INDEX, { name: 'film.mp4', content: noise(LARGE, version), stored: true }]);
    films.push(await site.start('/film.mp4'));
  }
  await site.store([INDEX]);
  const refused = await site.get('/');
  assert.deepEqual([refused.status, refused.headers['retry-after']], [503, '1']);
  films[0]?.destroy();
  await waitFor(async () => (await site.get('/')).status === 200, { ...WAIT, what: 'room for the new one' });
  for (const film of films) film.destroy();
});

test('stop ends although a client does not read its answer', { timeout: 60_000 }, async (t) => {
  const site = await Site.open(t, [INDEX, { name: 'film.mp4', content: noise(LARGE), stored: true }]);
  const film = await site.start('/film.mp4');
  film.on('error', () => undefined);
  await site.origin.stop();
  assert.equal(await site.openFiles(), 0);
  assert.ok((await readFile(site.file?.path ?? '')).length > LARGE);
});
