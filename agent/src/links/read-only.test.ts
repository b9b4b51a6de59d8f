/** The real agent with its data folder mounted read-only, as the kernel does after errors in the file system. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { spawn as spawnPty } from '@lydell/node-pty';
import { authority, certificate } from '../../../testing/make-certificates.ts';
import { makePng } from '../../../testing/make-png.ts';

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url));
const START_MS = 60_000;
/** Only the agent sees the mounts. Without root's rights it needs its own user namespace. */
const OWN_MOUNTS = process.getuid?.() === 0 ? ['-m'] : ['-rm'];
const READ_ONLY = 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && shift && exec "$@"';

const png = makePng();
const ca = authority('A');
const server = certificate({ name: 'vitrine' });
let folder: string;
let api: string;
let agent: ChildProcess;
const line = spawnPty('sh', ['-c', 'stty raw -echo; tty; exec sleep 600'], {});
let heard = '';
const tty = Promise.withResolvers<string>();
line.onData((text) => {
  heard += text;
  const path = /^(\/dev\/pts\/\d+)\r?\n/.exec(heard)?.[1];
  if (path) tty.resolve(path);
});

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vitrine-read-only-'));
  const data = join(folder, 'data');
  for (const below of ['splash', 'certificates']) await mkdir(join(data, below), { recursive: true });
  // So that there is something to delete.
  await writeFile(join(data, 'splash', 'boot.png'), makePng());
  await writeFile(join(data, 'certificates', 'ca.pem'), ca.cert);
  const options = [
    '--listen',
    '127.0.0.1:0',
    '--listen-https',
    '127.0.0.1:0',
    '--data',
    data,
    '--run',
    join(folder, 'run'),
    '--serial',
    await tty.promise,
  ];
  const command = [...OWN_MOUNTS, 'sh', '-c', READ_ONLY, 'sh', data, process.execPath, MAIN, ...options];
  agent = spawn('unshare', command, { stdio: ['ignore', 'pipe', 'pipe'] });
  const said: string[] = [];
  agent.stderr?.setEncoding('utf8').on('data', (text: string) => said.push(text));
  assert.ok(agent.stdout);
  const late = setTimeout(() => agent.kill('SIGKILL'), START_MS).unref();
  for await (const text of createInterface(agent.stdout)) {
    api = String(JSON.parse(text).api[0]);
    break;
  }
  clearTimeout(late);
  assert.ok(api, said.join(''));
});

after(async () => {
  line.kill();
  if (agent.exitCode === null && agent.kill('SIGTERM')) await once(agent, 'exit');
  await rm(folder, { recursive: true, force: true });
});

const JSON_TYPE = 'application/json';

/** Requests that store or delete something, of each resource. */
const WRITES: readonly [string, string, string?, (string | Buffer)?][] = [
  ['PATCH', '/config', JSON_TYPE, '{"device":{"name":"Other"}}'],
  ['PUT', '/content/menu', 'application/zip', Buffer.alloc(100)],
  ['PUT', '/files/splash', 'image/png', png],
  ['PUT', '/files/splash/shutdown', 'image/png', png],
  ['DELETE', '/files/splash'],
  ['PUT', '/files/certificates/ca', 'application/x-pem-file', authority('B').cert],
  ['DELETE', '/files/certificates/ca'],
  ['PUT', '/files/certificates/server', 'application/x-pem-file', server.cert + server.key],
];

test('storing something on a read-only data partition is 503 with the reason', async () => {
  for (const [method, path, type, body] of WRITES) {
    const answer = await fetch(api + path, {
      method,
      ...(type ? { headers: { 'content-type': type } } : {}),
      ...(body === undefined ? {} : { body }),
    });
    const text = await answer.text();
    assert.equal(answer.status, 503, `${method} ${path}: ${text}`);
    const { error } = JSON.parse(text);
    assert.equal(error.code, 'unavailable');
    assert.match(error.message, /read-only/);
  }
  assert.equal(JSON.parse(await (await fetch(`${api}/config`)).text()).device.name, 'Vitrine');
});

test('on serial too, a body in chunks included', async () => {
  const ask = async (id: number, method: string, path: string, more: object): Promise<unknown> => {
    line.write(`${JSON.stringify({ id, type: 'request', method, path: `/api/v1${path}`, ...more })}\n`);
    const found = new RegExp(`^.*"id":${id}[,}].*$`, 'm');
    for (const end = performance.now() + 30_000; !found.test(heard); ) {
      assert.ok(performance.now() < end, `no answer: ${heard}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const { status, body } = JSON.parse(found.exec(heard)?.[0] ?? '');
    return [status, body.error.code, /read-only/.test(body.error.message)];
  };
  const refused = [503, 'unavailable', true];
  assert.deepEqual(await ask(71, 'PATCH', '/config', { body: { device: { name: 'Other' } } }), refused);
  assert.deepEqual(await ask(72, 'PUT', '/files/splash', { body_b64: png.toString('base64') }), refused);
});
