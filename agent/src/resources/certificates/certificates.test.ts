import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { pino } from 'pino';
import { authority, certificate } from '../../../../testing/make-certificates.ts';
import { ApiError } from '../../contract/errors.ts';
import { Certificates, type CertificatesOptions } from './certificates.ts';

const DAY_MS = 86_400_000;
const ca = authority('Root');
const otherCa = authority('Other');
const one = certificate({ name: 'one', issuer: ca });
const two = certificate({ name: 'two', issuer: ca });
const bytes = (...texts: string[]): Buffer => Buffer.from(texts.join(''));

async function folderFor(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-certificates-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'certificates');
}

/** A Certificates on a folder, and its calls to the rest of the agent. */
async function open(folder: string, options: Partial<CertificatesOptions> = {}) {
  const served: (string | undefined)[] = [];
  const trusted: number[] = [];
  const changes: string[] = [];
  let restarts = 0;
  let logged = '';
  const sink = new Writable({
    write(chunk, _encoding, done) {
      logged += chunk;
      done();
    },
  });
  const certificates = new Certificates({
    folder,
    https: { check: async () => undefined, apply: async (identity) => void served.push(identity?.cert) },
    trust: { apply: (list) => void trusted.push(list.length) },
    trustChanged: () => {
      restarts += 1;
    },
    changed: (kind) => changes.push(kind),
    log: pino({ level: 'trace' }, sink),
    ...options,
  });
  await certificates.start();
  return { certificates, served, trusted, changes, restarts: () => restarts, logged: () => logged };
}

const files = async (folder: string): Promise<string[]> => (await readdir(folder)).sort();

test('CA certificates are stored, trusted, and applied again at the start; uploading them again changes nothing', async (t) => {
  const folder = await folderFor(t);
  const { certificates, trusted, restarts } = await open(folder);
  await certificates.deleteCa();
  assert.deepEqual([trusted, restarts(), certificates.problems()], [[], 0, []]);
  await certificates.putCa(bytes(ca.cert));
  await certificates.putCa(bytes('# the same\r\n', ca.cert.replaceAll('\n', '\r\n')));
  assert.deepEqual([trusted, restarts()], [[1], 1]);
  await certificates.putCa(bytes(ca.cert, otherCa.cert));
  assert.deepEqual([trusted, restarts()], [[1, 2], 2]);
  assert.equal((await stat(join(folder, 'ca.pem'))).mode & 0o777, 0o600);

  const next = await open(folder);
  assert.deepEqual([next.trusted, next.restarts()], [[2], 0]);
  await next.certificates.putCa(bytes(ca.cert, otherCa.cert));
  assert.equal(next.restarts(), 0);
  await next.certificates.deleteCa();
  assert.deepEqual([next.trusted, next.restarts(), await files(folder)], [[2, 0], 1, []]);
});

test('lists what is in use, without the key, and reports each change', async (t) => {
  const { certificates, changes } = await open(await folderFor(t));
  assert.deepEqual(certificates.list(), { server: [], ca: [], problems: [] });
  await certificates.putCa(bytes(ca.cert, otherCa.cert));
  await certificates.putCa(bytes(ca.cert, otherCa.cert));
  await certificates.putServer(bytes(one.key, ca.cert, one.cert));
  const { server, ca: authorities } = certificates.list();
  assert.deepEqual(
    authorities.map(({ subject, names }) => [subject, names]),
    [
      ['CN=Root', []],
      ['CN=Other', []],
    ],
  );
  assert.deepEqual(
    server.map(({ subject, issuer, pem }) => [subject, issuer, pem]),
    [
      ['CN=one', 'CN=Root', one.cert],
      ['CN=Root', 'CN=Root', ca.cert],
    ],
  );
  assert.deepEqual(server[0]?.names, ['localhost', '127.0.0.1', '10.0.2.2']);
  assert.match(server[0]?.fingerprint_sha256 ?? '', /^([0-9A-F]{2}:){31}[0-9A-F]{2}$/);
  assert.ok(Math.abs(Date.parse(server[0]?.valid_to ?? '') - Date.now() - 30 * DAY_MS) < DAY_MS);
  assert.ok(!JSON.stringify(certificates.list()).includes('PRIVATE KEY'));
  await certificates.deleteServer();
  await certificates.deleteCa();
  await certificates.deleteCa();
  assert.deepEqual(certificates.list(), { server: [], ca: [], problems: [] });
  assert.deepEqual(changes, ['ca', 'server', 'server', 'ca']);
});

test('a refused upload changes nothing', async (t) => {
  const folder = await folderFor(t);
  const { certificates, served, trusted, restarts } = await open(folder);
  await certificates.putCa(bytes(ca.cert));
  await certificates.putServer(bytes(one.cert, one.key));
  const before = await readFile(join(folder, 'server.pem'));
  for (const put of [
    () => certificates.putCa(bytes('junk')),
    () => certificates.putCa(bytes(one.cert)),
    () => certificates.putServer(bytes('junk')),
    () => certificates.putServer(bytes(two.cert, one.key)),
  ]) {
    await assert.rejects(async () => put(), { code: 'bad_request' });
  }
  assert.deepEqual(await readFile(join(folder, 'server.pem')), before);
  assert.deepEqual([served.length, trusted, restarts()], [1, [1], 1]);
});

test('CA certificates are applied although the browser cannot be restarted', async (t) => {
  const folder = await folderFor(t);
  const { certificates, trusted } = await open(folder, {
    trustChanged: () => {
      throw new ApiError('unavailable');
    },
  });
  await certificates.putCa(bytes(ca.cert));
  await certificates.deleteCa();
  assert.deepEqual(trusted, [1, 0]);
});

test('the server certificate is stored for root only, served, and served again after a start', async (t) => {
  const folder = await folderFor(t);
  const { certificates, served, logged } = await open(folder);
  await certificates.putServer(bytes(one.key, one.cert));
  assert.equal((await stat(join(folder, 'server.pem'))).mode & 0o777, 0o600);
  assert.equal((await stat(folder)).mode & 0o777, 0o700);
  await certificates.putServer(bytes(two.cert, two.key));
  const next = await open(folder);
  assert.equal(next.served.length, 1);
  assert.equal(next.served[0], served[1]);
  assert.deepEqual(next.certificates.problems(), []);
  await next.certificates.deleteServer();
  await next.certificates.deleteServer();
  assert.equal(next.served.at(-1), undefined);
  assert.deepEqual(await files(folder), []);
  const key = two.key.split('\n')[1] ?? '';
  assert.ok(!logged().includes(key) && !next.logged().includes(key));
});

test('stores no server certificate when HTTPS has no port', async (t) => {
  const folder = await folderFor(t);
  const refuse = {
    check: async () => undefined,
    apply: () => Promise.reject(new ApiError('unavailable', 'no port')),
  };
  const { certificates } = await open(folder, { https: refuse });
  await assert.rejects(certificates.putServer(bytes(one.cert, one.key)), { code: 'unavailable' });
  assert.deepEqual(await readdir(folder).catch(() => []), []);
});

test('serves no certificate that could not be stored', async (t) => {
  const folder = await folderFor(t);
  await writeFile(folder, 'a file where the folder should be');
  const { certificates, served } = await open(folder);
  assert.match(certificates.problems().join(), /There is no HTTPS: .*ENOTDIR/);
  await assert.rejects(certificates.putServer(bytes(one.cert, one.key)), { code: 'EEXIST' });
  assert.equal(served.length, 2);
  assert.equal(served[1], undefined);
});

test('a folder or a pipe in the place of a file is reported, and stops nothing', async (t) => {
  for (const place of [
    (path: string) => mkdir(path, { recursive: true }),
    async (path: string) => void execFileSync('mkfifo', [path]),
  ]) {
    const folder = await folderFor(t);
    await mkdir(folder, { recursive: true });
    await place(join(folder, 'server.pem'));
    await place(join(folder, 'ca.pem'));
    const { certificates } = await open(folder);
    assert.match(certificates.problems().join(), /not a regular file.*not a regular file/);
  }
});

test('starts with damaged files, and reports them until they are replaced', async (t) => {
  const folder = await folderFor(t);
  const first = await open(folder);
  await first.certificates.putCa(bytes(ca.cert));
  await first.certificates.putServer(bytes(one.cert, one.key));
  const whole = await readFile(join(folder, 'server.pem'), 'utf8');
  await writeFile(join(folder, 'server.pem'), whole.slice(0, -60));
  await writeFile(join(folder, 'ca.pem'), Buffer.alloc(1000));
  await writeFile(join(folder, '.server.pem.0123456789ab.tmp'), whole);

  const { certificates, served, trusted, restarts, logged } = await open(folder);
  assert.deepEqual([served, trusted], [[], []]);
  assert.equal(restarts(), 1); // a browser that had read the damaged list trusts nobody
  const problems = certificates.problems();
  assert.equal(problems.length, 2);
  assert.match(
    problems.join('\n'),
    /^The stored CA certificates are not used: This is not a PEM file.*\nThere is no HTTPS: Block \d/,
  );
  assert.match(logged(), /There is no HTTPS/);
  assert.equal((await readFile(join(folder, 'ca.pem'))).length, 0);
  assert.deepEqual(await files(folder), ['ca.pem', 'server.pem']);

  const again = await open(folder);
  assert.equal(again.restarts(), 0);
  assert.deepEqual(again.certificates.problems(), problems);
  await again.certificates.deleteCa();
  await again.certificates.deleteServer();
  assert.deepEqual([again.certificates.problems(), await files(folder)], [[], []]);

  await writeFile(join(folder, 'server.pem'), 'junk');
  await writeFile(join(folder, 'ca.pem'), 'junk');
  await again.certificates.start();
  assert.equal(again.certificates.problems().length, 2);
  await again.certificates.putCa(bytes(ca.cert));
  await again.certificates.putServer(bytes(one.cert, one.key));
  assert.deepEqual(again.certificates.problems(), []);
  assert.deepEqual(await files(folder), ['ca.pem', 'server.pem']);
});

test('stored certificates that expire stay in use and are reported', async (t) => {
  const folder = await folderFor(t);
  const { certificates } = await open(folder);
  await certificates.putCa(bytes(ca.cert));
  await certificates.putServer(bytes(one.cert, one.key));
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 31 * DAY_MS });
  const later = await open(folder);
  assert.deepEqual([later.served.length, later.trusted], [1, [1]]);
  assert.match(later.certificates.problems().join(), /^The certificate of HTTPS expired at 2/);
});

test('concurrent changes are made one after the other', async (t) => {
  const folder = await folderFor(t);
  const order: string[] = [];
  const https = {
    check: async () => undefined,
    apply: async (identity: { cert: string } | undefined) => {
      order.push('begin');
      await new Promise(setImmediate);
      order.push(identity ? 'end' : 'off');
    },
  };
  const { certificates } = await open(folder, { https });
  await Promise.all([
    certificates.putServer(bytes(one.cert, one.key)),
    certificates.deleteServer(),
    certificates.putServer(bytes(two.cert, two.key)),
  ]);
  assert.deepEqual(order, ['begin', 'end', 'begin', 'off', 'begin', 'end']);
  assert.match(await readFile(join(folder, 'server.pem'), 'utf8'), /PRIVATE KEY/);
});

test('knows the host names of the HTTPS certificate as long as there is one', async (t) => {
  const { certificates } = await open(await folderFor(t));
  assert.equal(certificates.isServerName('lobby.example'), false);
  const extensions = ['subjectAltName=DNS:lobby.example,DNS:*.screens.example,DNS:hall*.example,IP:10.0.2.2'];
  const named = certificate({ name: 'subject.example', extensions });
  await certificates.putServer(bytes(named.cert, named.key));
  const names = ['lobby.example', 'LOBBY.example', 'one.screens.example'];
  const others = [
    'subject.example',
    'a.lobby.example',
    'hall1.example',
    'screens.example',
    'a.b.screens.example',
    'example',
    '',
  ];
  for (const name of names) assert.equal(certificates.isServerName(name), true, name);
  for (const name of others) assert.equal(certificates.isServerName(name), false, name);
  await certificates.deleteServer();
  assert.equal(certificates.isServerName('lobby.example'), false);
});
