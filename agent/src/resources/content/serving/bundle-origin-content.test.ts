/** Bodies of answers: whole, gzip, ranges, damaged entries. */
import assert from 'node:assert/strict';
import { open } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { INDEX, LARGE, noise, Site, text } from './tests/bundle-site.ts';

test('entity tags differ by bundle, entry and coding, and unchanged content is not sent again', async (t) => {
  const entries = [INDEX, { name: 'a.txt', content: text(5000) }, { name: 'b.txt', content: text(5001) }];
  const site = await Site.open(t, entries);
  const tag = async (path: string, coding = 'identity') =>
    (await site.get(path, { 'accept-encoding': coding })).headers.etag ?? assert.fail();
  const tags = [await tag('/a.txt'), await tag('/b.txt'), await tag('/a.txt', 'gzip')];
  assert.equal(new Set(tags).size, 3);
  const [plain = '', , gzip = ''] = tags;
  for (const [asked, coding, status] of [
    [plain, 'identity', 304],
    [`"x", W/${plain}`, 'identity', 304],
    [gzip, 'gzip', 304],
    [plain, 'gzip', 200],
    [gzip, 'identity', 200],
  ] as const) {
    const answer = await site.get('/a.txt', { 'accept-encoding': coding, 'if-none-match': asked });
    assert.equal(answer.status, status, `${asked} ${coding}`);
    assert.equal(answer.headers.vary, 'accept-encoding');
    if (status === 304) {
      assert.equal(answer.headers.etag, coding === 'gzip' ? gzip : plain);
      assert.equal(answer.headers['content-length'], undefined);
    }
  }
  await site.store([...entries, { name: 'c.txt', content: 'c' }]);
  assert.notEqual(await tag('/a.txt'), plain);
});

test('finds names in another Unicode composition, both ways, and folders of such names', async (t) => {
  const names = ['Menü.html', 'bücher/größe é.txt', 'ガ/index.html', 'Å/가.js'];
  for (const [stored, asked] of [
    ['NFD', 'NFC'],
    ['NFC', 'NFD'],
    ['NFD', 'NFD'],
  ] as const) {
    const entries = names.map((name) => ({ name: name.normalize(stored), content: name }));
    const site = await Site.open(t, [INDEX, ...entries]);
    for (const name of names) {
      const path = name.normalize(asked).split('/').map(encodeURIComponent).join('/');
      const answer = await site.get(`/${path}`);
      assert.deepEqual([answer.status, answer.body.toString()], [200, name], `${name} ${stored} ${asked}`);
    }
    const folder = encodeURIComponent('ガ'.normalize(asked));
    assert.equal((await site.get(`/${folder}`)).headers.location, `/${folder}/`);
    assert.equal((await site.get(`/${folder}/`)).status, 200);
    assert.equal((await site.get(`/${encodeURIComponent('Menu\u0301.html')}`)).status, 404);
  }
});

test('deflated entries are sent as gzip to clients that accept it', async (t) => {
  const contents = [text(1), text(2000), text(70_000), noise(200_000), text(3_000_000), Buffer.alloc(0)];
  const names = contents.map((_, index) => `${index}.txt`);
  const site = await Site.open(t, [
    INDEX,
    ...contents.map((content, index) => ({ name: `${index}.txt`, content })),
    { name: 'stored.txt', content: 'stored', stored: true },
  ]);
  for (const [index, name] of names.entries()) {
    const gzip = await site.get(`/${name}`, { 'accept-encoding': 'gzip, deflate, br' });
    assert.equal(gzip.headers['content-encoding'], 'gzip');
    assert.equal(gzip.headers['content-length'], String(gzip.body.length));
    assert.ok(gunzipSync(gzip.body).equals(contents[index] ?? assert.fail()));
    const plain = await site.get(`/${name}`, { 'accept-encoding': 'gzip;q=0' });
    assert.equal(plain.headers['content-encoding'], undefined);
    assert.equal(plain.headers['content-length'], String(plain.body.length));
    assert.ok(plain.body.equals(contents[index] ?? assert.fail()));
  }
  const stored = await site.get('/stored.txt', { 'accept-encoding': 'gzip' });
  assert.deepEqual([stored.headers['content-encoding'], stored.headers.vary], [undefined, undefined]);
});

test('any range of any entry is that slice of its content', async (t) => {
  // Sizes around the limits of the cache and of a read.
  const sizes = [0, 1, 2, 65_535, 65_536, 65_537, 262_144, 262_145, 700_000];
  const entries = sizes.flatMap((size) => [
    { name: `s${size}`, content: noise(size, size), stored: true },
    {
      name: `d${size}`,
      content:
        noise(size / 2, size) +
        text(size)
          .toString('latin1')
          .slice(Math.floor(size / 2)),
    },
  ]);
  const site = await Site.open(t, [INDEX, ...entries]);
  const entry = fc.constantFrom(
    ...entries.map(({ name, content }) => ({ name, content: Buffer.from(content) })),
  );
  const near = fc.oneof(fc.nat(800_000), fc.nat(3), fc.constantFrom(65_535, 65_536, 262_143, 262_144));
  await fc.assert(
    fc.asyncProperty(
      entry,
      near,
      fc.option(near),
      fc.boolean(),
      async ({ name, content }, from, length, suffix) => {
        const range = suffix ? `-${from}` : `${from}-${length === null ? '' : from + length}`;
        const { status, headers, body } = await site.get(`/${name}`, {
          range: `bytes=${range}`,
          'accept-encoding': 'gzip',
        });
        const start = suffix ? Math.max(0, content.length - from) : from;
        const end = suffix || length === null ? content.length : Math.min(from + length + 1, content.length);
        if (content.length === 0) assert.equal(status, 200);
        else if (start >= content.length) {
          assert.equal(status, 416);
          assert.equal(headers['content-range'], `bytes */${content.length}`);
        } else {
          assert.equal(status, 206);
          assert.equal(headers['content-range'], `bytes ${start}-${end - 1}/${content.length}`);
          assert.equal(headers['content-encoding'], undefined);
          assert.equal(headers['content-length'], String(end - start));
          assert.ok(body.equals(content.subarray(start, end)));
        }
      },
    ),
    { numRuns: 150 },
  );
});

test('a range with If-Range for another version gets the whole', async (t) => {
  const site = await Site.open(t, [INDEX, { name: 'a.txt', content: text(100_000) }]);
  const { etag = '' } = (await site.get('/a.txt')).headers;
  const status = async (condition: string) =>
    (await site.get('/a.txt', { range: 'bytes=5-9', 'if-range': condition })).status;
  assert.equal(await status(etag), 206);
  await site.store([
    { name: 'index.html', content: 'new' },
    { name: 'a.txt', content: text(100_000) },
  ]);
  assert.equal(await status(etag), 200);
});

test('damaged content is never sent as complete', async (t) => {
  const site = await Site.open(t, [
    INDEX,
    { name: 'small.bin', content: noise(1000), stored: true },
    { name: 'small.txt', content: text(1000) },
    { name: 'large.bin', content: noise(2_000_000), stored: true },
    { name: 'large.txt', content: noise(2_000_000) },
  ]);
  await site.damage('small.bin', 500);
  await site.damage('small.txt', 5);
  await site.damage('large.bin', 1_999_999);
  await site.damage('large.txt', 1_990_000);
  const plain = { 'accept-encoding': 'identity' };
  assert.equal((await site.get('/small.bin', plain)).status, 500);
  assert.equal((await site.get('/small.txt', plain)).status, 500);
  await assert.rejects(site.get('/large.bin', plain), { code: 'ECONNRESET' });
  await assert.rejects(site.get('/large.txt', plain), { code: 'ECONNRESET' });
  await assert.rejects(site.get('/large.txt', { range: 'bytes=1000000-' }), { code: 'ECONNRESET' });
  // A client that accepts gzip notices it by the trailer.
  const gzip = await site.get('/small.txt', { 'accept-encoding': 'gzip' });
  assert.throws(() => gunzipSync(gzip.body));
  assert.equal((await site.get('/', plain)).status, 200);
});

test('a truncated file ends the connection, and a file that is not a zip archive is an error', async (t) => {
  const site = await Site.open(t, [INDEX, { name: 'large.bin', content: noise(LARGE), stored: true }]);
  const answer = await site.start('/large.bin');
  const { path, size } = site.file ?? assert.fail();
  const handle = await open(path, 'r+');
  await handle.truncate(LARGE - 1000);
  await handle.close();
  await assert.rejects(buffer(answer), { code: 'ECONNRESET' });
  site.file = { path, sha256: 'f'.repeat(64), size };
  assert.equal((await site.get('/')).status, 500);
});

test('the page channel’s client is served, unless the bundle has a file of that name', async (t) => {
  const site = await Site.open(t, [INDEX]);
  for (const path of ['/display-client.js', '/display-client.js?v=1']) {
    const { status, headers, body } = await site.get(path);
    assert.deepEqual([status, String(body)], [200, 'client'], path);
    assert.match(headers['content-type'] ?? '', /^text\/javascript/);
    assert.equal(headers['cross-origin-resource-policy'], 'same-origin');
  }
  assert.equal((await site.get('/x/display-client.js')).status, 404);
  await site.store([INDEX, { name: 'display-client.js', content: 'own' }]);
  assert.equal(String((await site.get('/display-client.js')).body), 'own');
});
