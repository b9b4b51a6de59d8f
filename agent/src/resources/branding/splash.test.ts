import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, test } from 'node:test';
import { chunk, ihdr, makePng, png, solidPng } from '../../../../testing/make-png.ts';
import { waitFor } from '../../../../testing/wait.ts';
import { RESERVE_BYTES } from '../../base/disk-reserve.ts';
import { createLogger } from '../../base/logger.ts';
import { EventBus } from '../../events/bus.ts';
import { createApp } from '../../links/app.ts';
import { connect, request } from '../../links/serial/tests/test-link.ts';
import { splashRoutes } from './index.ts';
import * as schema from './schema.ts';
import { Splash, type SplashKind } from './splash.ts';

const ROOT = await mkdtemp(join(tmpdir(), 'vitrine-splash-'));
after(() => rm(ROOT, { recursive: true, force: true }));

const BUILT_IN = makePng({ width: 3, height: 1 });
const RED = solidPng(40, 20, [255, 0, 0]);
const BLUE = solidPng(30, 30, [0, 0, 255]);
const URLS: Readonly<Record<SplashKind, string>> = {
  boot: '/api/v1/files/splash',
  shutdown: '/api/v1/files/splash/shutdown',
};
const log = createLogger('silent');

async function setUp(folder?: string) {
  const home = folder ?? join(await mkdtemp(join(ROOT, 'case-')), 'splash');
  const bus = new EventBus();
  const disk = { free_bytes: 1024 ** 3 };
  const splash = await Splash.open({
    folder: home,
    disk: { free: async () => disk },
    bus,
    log,
    builtIn: async () => BUILT_IN,
  });
  const events: unknown[] = [];
  bus.on(schema.splashChanged, (payload) => events.push(payload));
  const routes = splashRoutes(splash);
  const endpoints = routes.map(({ endpoint }) => endpoint);
  const app = createApp({ endpoints, routes, log });
  await app.ready();
  const put = async (kind: SplashKind, payload: Buffer, type = 'image/png') => {
    const answer = await app.inject({
      method: 'PUT',
      url: URLS[kind],
      headers: { 'content-type': type },
      payload,
    });
    return { status: answer.statusCode, body: answer.payload && answer.json() };
  };
  const get = async (kind: SplashKind) => {
    const answer = await app.inject({ method: 'GET', url: URLS[kind] });
    assert.deepEqual([answer.statusCode, answer.headers['content-type']], [200, 'image/png']);
    return answer.rawPayload;
  };
  const remove = async (kind: SplashKind) =>
    (await app.inject({ method: 'DELETE', url: URLS[kind] })).statusCode;
  return { folder: home, disk, splash, events, app, endpoints, put, get, remove };
}

test('gives the uploaded images, and the fallbacks without them', async () => {
  const { put, get, remove, events, folder } = await setUp();
  assert.deepEqual([await get('boot'), await get('shutdown')], [BUILT_IN, BUILT_IN]);
  assert.deepEqual(await put('boot', RED), { status: 204, body: '' });
  assert.deepEqual([await get('boot'), await get('shutdown')], [RED, RED]);
  assert.equal((await put('shutdown', BLUE)).status, 204);
  assert.deepEqual([await get('boot'), await get('shutdown')], [RED, BLUE]);
  assert.deepEqual((await readdir(folder)).sort(), ['boot.png', 'shutdown.png']);
  assert.equal(await remove('boot'), 204);
  assert.deepEqual([await get('boot'), await get('shutdown')], [BUILT_IN, BLUE]);
  assert.equal(await remove('shutdown'), 204);
  assert.equal(await remove('shutdown'), 204);
  assert.deepEqual(await get('shutdown'), BUILT_IN);
  const kinds = ['boot', 'shutdown', 'boot', 'shutdown', 'shutdown'];
  assert.deepEqual(
    events,
    kinds.map((kind) => ({ kind })),
  );
});

test('images and version survive a restart; leftovers of interrupted writes are removed', async () => {
  const { put, splash, folder } = await setUp();
  assert.equal(splash.version, '');
  await put('shutdown', BLUE);
  assert.equal(splash.version, '');
  await put('boot', RED);
  const { version } = splash;
  assert.notEqual(version, '');
  await writeFile(join(folder, '.boot.png.0123456789ab.tmp'), RED.subarray(0, 30));
  const again = await setUp(folder);
  assert.deepEqual([await again.get('boot'), await again.get('shutdown')], [RED, BLUE]);
  assert.equal(again.splash.version, version);
  assert.deepEqual((await readdir(folder)).sort(), ['boot.png', 'shutdown.png']);
  await again.put('boot', BLUE);
  assert.ok(again.splash.version && again.splash.version !== version);
  await again.remove('boot');
  assert.equal(again.splash.version, '');
});

test('a refused upload changes nothing and emits no event', async () => {
  const { put, get, events, folder } = await setUp();
  await put('boot', RED);
  events.length = 0;
  for (const [payload, why] of [
    [Buffer.from('ffd8ffe000104a464946', 'hex'), /not a PNG/],
    [RED.subarray(0, -1), /cut off|ends before/],
    [png(ihdr({ width: 30_000, height: 30_000 }), chunk('IEND')), /too large/],
  ] as const) {
    const { status, body } = await put('boot', payload);
    assert.deepEqual([status, body.error.code], [400, 'bad_request']);
    assert.match(body.error.message, why);
  }
  const tooLong = png(ihdr(), chunk('zzZz', Buffer.alloc(schema.MAX_SPLASH_BYTES)));
  assert.deepEqual((await put('boot', tooLong)).body.error.code, 'payload_too_large');
  for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x']) {
    const { status, body } = await put('boot', BLUE, type);
    assert.deepEqual([status, body.error.code], [400, 'bad_request'], type);
  }
  assert.deepEqual(await get('boot'), RED);
  assert.deepEqual(events, []);
  assert.deepEqual(await readdir(folder), ['boot.png']);
});

test('accepts an image of exactly the largest size', async () => {
  const { put, get } = await setUp();
  const rest = schema.MAX_SPLASH_BYTES - RED.length - 12;
  const file = Buffer.concat([RED.subarray(0, -12), chunk('zzZz', Buffer.alloc(rest)), RED.subarray(-12)]);
  assert.equal(file.length, schema.MAX_SPLASH_BYTES);
  assert.equal((await put('boot', file)).status, 204);
  assert.deepEqual(await get('boot'), file);
});

test('a damaged stored image is not used and logged', async (t) => {
  const logged = t.mock.method(log, 'error');
  const { put, get, folder } = await setUp();
  await put('boot', RED);
  await put('shutdown', BLUE);
  const path = join(folder, 'shutdown.png');
  const damaged = await readFile(path);
  damaged[45] = (damaged[45] ?? 0) ^ 1;
  await writeFile(path, damaged);
  assert.deepEqual(await get('shutdown'), RED);
  assert.equal(logged.mock.callCount(), 1);
  await rm(join(folder, 'boot.png'));
  assert.deepEqual(await get('boot'), BUILT_IN);
  assert.equal(logged.mock.callCount(), 1, 'a missing image is normal');
  assert.deepEqual(await get('shutdown'), BUILT_IN);
});

test('a full disk is 507, and the previous image stays', async () => {
  const { put, get, remove, events, disk } = await setUp();
  disk.free_bytes = RESERVE_BYTES + RED.length;
  assert.equal((await put('boot', RED)).status, 204);
  disk.free_bytes -= 1;
  const bigger = makePng({ width: 100, height: 100 });
  assert.ok(bigger.length >= RED.length);
  const { status, body } = await put('boot', bigger);
  assert.deepEqual([status, body.error.code], [507, 'insufficient_storage']);
  assert.deepEqual(await get('boot'), RED);
  assert.equal(events.length, 1);
  assert.equal(await remove('boot'), 204);
});

test('concurrent uploads do not take the same free space', async () => {
  const { put, disk, folder } = await setUp();
  await mkdir(folder);
  // Neither image is there yet: a replaced one would give its space back for the other.
  const total = RESERVE_BYTES + RED.length * 1.5;
  const used = () => readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  Object.defineProperty(disk, 'free_bytes', { get: () => total - used() });
  const answers = await Promise.all([put('shutdown', RED), put('boot', RED)]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 507]);
});

test('stores the rotation for the units of vitrine-splash', async () => {
  const { splash, folder } = await setUp();
  await splash.turn(0);
  assert.deepEqual(await readdir(folder).catch(() => []), []);
  await splash.turn(270);
  assert.equal(await readFile(join(folder, 'rotation.env'), 'utf8'), 'SPLASH_ROTATION=270\n');
  const { ino } = await stat(join(folder, 'rotation.env'));
  const again = await setUp(folder);
  await again.splash.turn(270);
  assert.equal((await stat(join(folder, 'rotation.env'))).ino, ino, 'not written again');
  await again.splash.turn(90);
  assert.equal(await readFile(join(folder, 'rotation.env'), 'utf8'), 'SPLASH_ROTATION=90\n');
  await again.splash.turn(0);
  assert.deepEqual(await readdir(folder), []);
  // The last call wins, and a failed write is tried again by the next call.
  await Promise.all([again.splash.turn(90), again.splash.turn(0), again.splash.turn(180)]);
  assert.equal(await readFile(join(folder, 'rotation.env'), 'utf8'), 'SPLASH_ROTATION=180\n');
  await rm(folder, { recursive: true });
  await writeFile(folder, 'in the way');
  await assert.rejects(again.splash.turn(90));
  await rm(folder);
  await again.splash.turn(90);
  assert.equal(await readFile(join(folder, 'rotation.env'), 'utf8'), 'SPLASH_ROTATION=90\n');
});

test('concurrent uploads leave one of the images intact', async () => {
  const { put, get, events } = await setUp();
  const images = Array.from({ length: 8 }, (_, i) => solidPng(10 + i, 10, [i, i, i]));
  const answers = await Promise.all(images.map((image) => put('boot', image)));
  assert.ok(answers.every(({ status }) => status === 204));
  const stored = await get('boot');
  assert.ok(images.some((image) => image.equals(stored)));
  assert.equal(events.length, images.length);
});

test('concurrent uploads are bounded, and an aborted one frees its place', async () => {
  const { app, put } = await setUp();
  const started: Promise<void>[] = [];
  const begin = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    started.push(promise);
    const payload = new Readable({ read: () => resolve() });
    const headers = { 'content-type': 'image/png' };
    return { payload, answer: app.inject({ method: 'PUT', url: URLS.boot, headers, payload }) };
  };
  const uploads = Array.from({ length: 8 }, begin);
  await Promise.all(started);
  const refused = await put('shutdown', RED);
  assert.deepEqual([refused.status, refused.body.error.code], [429, 'too_many_requests']);
  for (const { payload } of uploads) payload.destroy(new Error('gone'));
  await Promise.allSettled(uploads.map(({ answer }) => answer));
  const accepted = async () => (await put('shutdown', RED)).status === 204;
  await waitFor(accepted, { timeoutMs: 60_000, intervalMs: 1, what: 'an upload to be accepted' });
});

test('over the serial link: uploads in chunks, downloads as body_b64', async () => {
  const { app, endpoints, get } = await setUp();
  const { port } = await connect({ app, endpoints });
  port.send(request(1, 'PUT', '/files/splash', { body_b64: '' }));
  const half = RED.length >> 1;
  for (const [seq, part] of [RED.subarray(0, half), RED.subarray(half)].entries()) {
    port.send({ id: 1, type: 'request_chunk', seq, last: seq === 1, data_b64: part.toString('base64') });
  }
  assert.deepEqual(await port.line(), { id: 1, type: 'response', status: 204 });
  assert.deepEqual(await get('boot'), RED);
  port.send(request(2, 'GET', '/files/splash/shutdown'));
  assert.deepEqual(await port.line(), {
    id: 2,
    type: 'response',
    status: 200,
    body_b64: RED.toString('base64'),
  });
});
