import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, open, readdir, readFile, readlink, rename, rm, writeFile } from 'node:fs/promises';
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { ZipFile } from 'yazl';
import { waitFor } from '../../../ci/lib/wait.ts';
import { createLogger } from '../base/logger.ts';
import { readDirectory } from '../resources/content/zip/directory.ts';
import { fileSource } from '../resources/content/zip/source.ts';
import { BundleOrigin } from './bundle-origin.ts';

const WAIT = { timeoutMs: 15_000 };
/** More than a loopback connection takes in while nobody reads it. */
const LARGE = 24 * 1024 * 1024;

interface TestEntry {
  name: string;
  content: Buffer | string;
  stored?: boolean;
}

const INDEX: TestEntry = { name: 'index.html', content: '<!doctype html><title>Menu</title>' };

async function zip(entries: TestEntry[]): Promise<Buffer> {
  const file = new ZipFile();
  for (const { name, content, stored = false } of entries) {
    file.addBuffer(Buffer.from(content), name, { compress: !stored, mtime: new Date(0) });
  }
  file.end();
  return await buffer(file.outputStream);
}

/** Bytes that look like media, and such that look like text. */
function noise(bytes: number, seed = 1): Buffer {
  const noisy = Buffer.alloc(bytes);
  let state = seed * 2654435761;
  for (let i = 0; i < bytes; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    noisy[i] = state >>> 24;
  }
  return noisy;
}

function text(bytes: number): Buffer {
  return Buffer.alloc(bytes, 'All work and no play makes Jack a dull boy.\n');
}

interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

class Site {
  readonly origin: BundleOrigin;
  readonly #folder: string;
  readonly #agent = new Agent({ keepAlive: true });
  active: string | undefined = 'menu';
  file: { path: string; sha256: string; size: number } | undefined;

  private constructor(folder: string) {
    this.#folder = folder;
    this.origin = new BundleOrigin({
      port: 0,
      active: () => this.active,
      locate: () => this.file,
      log: createLogger('silent'),
    });
  }

  static async open(t: TestContext, entries: TestEntry[]): Promise<Site> {
    const site = new Site(await mkdtemp(join(tmpdir(), 'vitrine-origin-')));
    t.after(async () => {
      site.#agent.destroy();
      await site.origin.stop();
      assert.equal(await site.openFiles(), 0);
      await rm(site.#folder, { recursive: true });
    });
    await site.store(entries);
    await site.origin.start();
    return site;
  }

  /** Puts a bundle in the place of the one that is there, as the store does. */
  async store(entries: TestEntry[]): Promise<void> {
    const archive = await zip(entries);
    const path = join(this.#folder, 'menu.zip');
    await writeFile(`${path}.new`, archive);
    await rename(`${path}.new`, path);
    this.file = { path, sha256: createHash('sha256').update(archive).digest('hex'), size: archive.length };
  }

  /** Overwrites a byte of an entry's data in the file that is there. */
  async damage(name: string, offset: number): Promise<void> {
    const { path, size } = this.file ?? assert.fail();
    const handle = await open(path, 'r+');
    const entry = (await readDirectory(fileSource(handle, size))).get(name) ?? assert.fail();
    const [byte = 0] = await fileSource(handle, size).read(entry.dataStart + offset, 1);
    await handle.write(Buffer.from([byte ^ 0x55]), 0, 1, entry.dataStart + offset);
    await handle.close();
  }

  /** Files of the folder that this process has open. */
  async openFiles(): Promise<number> {
    const links = await Promise.all(
      (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
    );
    return links.filter((link) => link.startsWith(this.#folder)).length;
  }

  get port(): number {
    return Number(new URL(this.origin.url('menu')).port);
  }

  /** @returns the answer once its head is there; nothing of its body is read before it is asked for */
  async start(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<IncomingMessage> {
    const asked = request({
      host: '127.0.0.1',
      port: this.port,
      path,
      method,
      agent: this.#agent,
      headers: { host: `menu.localhost:${this.port}`, ...headers },
    });
    asked.end();
    const [answer]: IncomingMessage[] = await once(asked, 'response');
    return answer ?? assert.fail();
  }

  async get(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Reply> {
    const answer = await this.start(path, headers, method);
    return { status: answer.statusCode ?? 0, headers: answer.headers, body: await buffer(answer) };
  }

  /** Sends bytes as they are and gives what comes until the other side hangs up. */
  async raw(bytes: string, host = '127.0.0.1'): Promise<string> {
    const socket = connect(this.port, host);
    socket.write(bytes.replaceAll('HOST', `menu.localhost:${this.port}`).replaceAll('\n', '\r\n'));
    return (await buffer(socket)).toString('latin1');
  }
}

test('a bundle is a web origin on both loopback addresses, and guarded on every answer', async (t) => {
  const site = await Site.open(t, [INDEX, { name: 'app.js', content: 'export {};' }]);
  assert.match(site.origin.url('menu'), /^http:\/\/menu\.localhost:\d+\/$/);
  for (const host of ['127.0.0.1', '::1']) {
    assert.match(
      await site.raw('GET / HTTP/1.1\nHost: HOST\nConnection: close\n\n', host),
      /^HTTP\/1\.1 200 OK\r\n/,
    );
  }
  const answers = [
    await site.get('/'),
    await site.get('/app.js', { 'accept-encoding': 'gzip' }),
    await site.get('/app.js', { range: 'bytes=0-1' }),
    await site.get('/app.js', { range: 'bytes=99-' }),
    await site.get('/nothing'),
    await site.get('/%'),
    await site.get('/', { host: 'other.localhost' }),
    await site.get('/', { 'sec-fetch-site': 'cross-site' }),
    await site.get('/', {}, 'POST'),
    await site.get('/', { 'if-none-match': '*' }),
    await site.get('/', { 'if-match': '"x"' }),
  ];
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 206, 416, 404, 400, 421, 403, 405, 304, 412],
  );
  for (const { status, headers } of answers) {
    assert.equal(headers['cross-origin-resource-policy'], 'same-origin', String(status));
    assert.equal(headers['content-security-policy'], "frame-ancestors 'self'", String(status));
    assert.equal(headers['x-frame-options'], 'SAMEORIGIN', String(status));
    assert.equal(headers['x-content-type-options'], 'nosniff', String(status));
    assert.equal(headers['origin-agent-cluster'], '?1', String(status));
    assert.equal(headers['cache-control'], 'no-cache', String(status));
    assert.deepEqual(
      Object.keys(headers).filter((name) => name.startsWith('access-control')),
      [],
    );
  }
  assert.equal(answers[0]?.headers['content-type'], 'text/html; charset=utf-8');
  assert.equal(answers[8]?.headers.allow, 'GET, HEAD');
});

test('only the bundle on the screen is served, and only by its own name', async (t) => {
  const site = await Site.open(t, [INDEX]);
  const { port } = site;
  const status = async (host: string) => (await site.get('/', { host })).status;
  assert.equal(await status(`MENU.LocalHost:${port}`), 200);
  for (const host of [
    'menu.localhost',
    `menu.localhost:${port + 1}`,
    `menu.localhost.:${port}`,
    `other.localhost:${port}`,
    `x.menu.localhost:${port}`,
    `localhost:${port}`,
    `127.0.0.1:${port}`,
    `menu.localhost.evil.example:${port}`,
    '',
  ]) {
    assert.equal(await status(host), 421, host);
  }
  site.active = 'other';
  assert.equal(await status(`menu.localhost:${port}`), 421);
  assert.equal(await status(`other.localhost:${port}`), 200);
  site.active = undefined;
  assert.equal(await status(`menu.localhost:${port}`), 421);
  site.active = 'menu';
  site.file = undefined;
  assert.equal(await status(`menu.localhost:${port}`), 404);
});

test('what another site’s page starts is refused', async (t) => {
  const site = await Site.open(t, [INDEX]);
  const status = async (headers: Record<string, string>) => (await site.get('/', headers)).status;
  const own = `http://menu.localhost:${site.port}`;
  for (const value of ['same-origin', 'none']) assert.equal(await status({ 'sec-fetch-site': value }), 200);
  for (const value of ['cross-site', 'same-site', '', 'other', 'none, none']) {
    assert.equal(await status({ 'sec-fetch-site': value }), 403, value);
  }
  assert.equal(await status({ origin: own }), 200);
  for (const origin of [
    'null',
    'http://evil.example',
    own.replace('menu', 'other'),
    own.replace('http', 'https'),
  ]) {
    assert.equal(await status({ origin }), 403, origin);
  }
});

test('folders have their index.html, and are found without the slash', async (t) => {
  const site = await Site.open(t, [
    INDEX,
    { name: 'sub/index.html', content: 'sub' },
    { name: 'größe 1/index.html', content: 'size' },
    { name: 'bare/file.txt', content: 'file' },
  ]);
  assert.equal((await site.get('/sub/?x')).body.toString(), 'sub');
  assert.equal((await site.get('/gr%C3%B6%C3%9Fe%201/')).body.toString(), 'size');
  for (const [path, location] of [
    ['/sub', '/sub/'],
    ['/sub?a=1&b=%20?', '/sub/?a=1&b=%20?'],
    ['/gr%C3%B6%C3%9Fe%201', '/gr%C3%B6%C3%9Fe%201/'],
  ] as const) {
    const { status, headers, body } = await site.get(path);
    assert.deepEqual([status, headers.location, body.length], [308, location, 0]);
  }
  for (const path of [
    '/bare',
    '/bare/',
    '/Sub/',
    '/index.html/',
    '/sub/index.html/',
    '/%2e%2e/',
    '//',
    '/bare//file.txt',
  ])
    assert.ok([400, 404].includes((await site.get(path)).status), path);
});

test('a HEAD has the headers of the GET and no body', async (t) => {
  const site = await Site.open(t, [INDEX, { name: 'large.bin', content: noise(100_000), stored: true }]);
  for (const path of ['/', '/large.bin', '/none', '/%']) {
    for (const more of [{}, { 'accept-encoding': 'gzip' }, { 'if-none-match': '*' }]) {
      const [head, get] = [await site.get(path, more, 'HEAD'), await site.get(path, more)];
      assert.equal(head.status, get.status);
      assert.deepEqual({ ...head.headers, date: '' }, { ...get.headers, date: '' });
      assert.equal(head.body.length, 0);
    }
  }
  // Range is for GET alone.
  assert.equal((await site.get('/large.bin', { range: 'bytes=0-1' }, 'HEAD')).status, 200);
});

test('tags tell bundles, entries and codings apart, and spare what has not changed', async (t) => {
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

test('deflated entries go out as gzip without being inflated, to clients that take it', async (t) => {
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
  // Around the bounds of what is kept in memory and of a read.
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

test('a range of another version is not mixed with this one', async (t) => {
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

test('damage is never sent off as content', async (t) => {
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
  // Whoever takes gzip sees it by the trailer.
  const gzip = await site.get('/small.txt', { 'accept-encoding': 'gzip' });
  assert.throws(() => gunzipSync(gzip.body));
  assert.equal((await site.get('/', plain)).status, 200);
});

test('a file that has become shorter ends the connection, and one that is no zip is an error', async (t) => {
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

test('what is being read when the bundle is replaced or deleted is read to its end', async (t) => {
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

test('clients that hang up leave nothing behind', async (t) => {
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
  // One that is gone while much has to be inflated before its range.
  const early = connect(site.port, '127.0.0.1');
  early.write(`GET /deflated.txt HTTP/1.1\r\nHost: menu.localhost:${site.port}\r\nRange: bytes=-1\r\n\r\n`);
  await once(early, 'connect');
  early.resetAndDestroy();
  // Still on the screen, it stays open for the next request; then not.
  assert.equal((await site.get('/')).status, 200);
  assert.equal(site.origin.openBundles, 1);
  site.active = undefined;
  await waitFor(() => site.origin.openBundles === 0, { ...WAIT, what: 'the bundle to be closed' });
  await waitFor(async () => (await site.openFiles()) === 0, { ...WAIT, what: 'the file to be closed' });
});

test('an archive that has left the screen can be closed at once', async (t) => {
  const site = await Site.open(t, [INDEX]);
  assert.equal((await site.get('/')).status, 200);
  await site.origin.closeUnused();
  assert.equal(site.origin.openBundles, 1, 'it is on the screen');
  site.active = undefined;
  await site.origin.closeUnused();
  assert.equal(await site.openFiles(), 0);
});

test('the number of open archives is bounded, and what is over it is told to come again', async (t) => {
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

test('odd requests are answered by the rules', async (t) => {
  const site = await Site.open(t, [INDEX]);
  const line = async (bytes: string) => (await site.raw(bytes)).split('\r\n')[0];
  const close = 'Connection: close\n\n';
  assert.equal(await line(`GET / HTTP/1.1\n${close}`), 'HTTP/1.1 400 Bad Request');
  assert.equal(
    await line(`GET / HTTP/1.1\nHost: HOST\nHost: HOST\n${close}`),
    'HTTP/1.1 421 Misdirected Request',
  );
  assert.equal(await line(`GET http://HOST/ HTTP/1.1\nHost: other\n${close}`), 'HTTP/1.1 200 OK');
  assert.equal(await line(`GET http://HOST?x HTTP/1.1\nHost: other\n${close}`), 'HTTP/1.1 200 OK');
  assert.equal(
    await line(`GET http://evil.example/ HTTP/1.1\nHost: HOST\n${close}`),
    'HTTP/1.1 421 Misdirected Request',
  );
  assert.equal(
    await line(`GET http://x@HOST/ HTTP/1.1\nHost: HOST\n${close}`),
    'HTTP/1.1 421 Misdirected Request',
  );
  assert.equal(await line(`GET / HTTP/1.0\nHost: HOST\n\n`), 'HTTP/1.1 200 OK');
  assert.equal(await line(`GET / HTTP/1.0\n\n`), 'HTTP/1.1 421 Misdirected Request');
  assert.equal(await line(`OPTIONS * HTTP/1.1\nHost: HOST\n${close}`), 'HTTP/1.1 421 Misdirected Request');
  assert.equal(await line(`OPTIONS / HTTP/1.1\nHost: HOST\n${close}`), 'HTTP/1.1 405 Method Not Allowed');
  assert.equal(await line(`GET /caf\xc3\xa9 HTTP/1.1\nHost: HOST\n${close}`), 'HTTP/1.1 400 Bad Request');
  assert.equal(
    await line(`GET / HTTP/1.1\nHost: HOST\nUpgrade: websocket\nConnection: upgrade, close\n\n`),
    'HTTP/1.1 200 OK',
  );
  const pipelined = await site.raw(`GET / HTTP/1.1\nHost: HOST\n\nGET /x HTTP/1.1\nHost: HOST\n${close}`);
  assert.deepEqual(pipelined.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 200', 'HTTP/1.1 404']);
});

test('it ends, also with an answer under way that nobody reads', { timeout: 20_000 }, async (t) => {
  const site = await Site.open(t, [INDEX, { name: 'film.mp4', content: noise(LARGE), stored: true }]);
  const film = await site.start('/film.mp4');
  film.on('error', () => undefined);
  await site.origin.stop();
  assert.equal(await site.openFiles(), 0);
  assert.ok((await readFile(site.file?.path ?? '')).length > LARGE);
});

test('a port that is taken is an error, and nothing is kept', async (t) => {
  const site = await Site.open(t, [INDEX]);
  const options = { active: () => 'menu', locate: () => undefined, log: createLogger('silent') };
  const second = new BundleOrigin({ ...options, port: site.port });
  await assert.rejects(second.start(), { code: 'EADDRINUSE' });
  await second.stop();
});
