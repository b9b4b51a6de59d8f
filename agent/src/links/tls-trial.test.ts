/** Server certificates that current clients refuse, through everything that an upload passes before it is stored. */
import assert from 'node:assert/strict';
import { sign, X509Certificate } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { authority, CA_EXTENSIONS, certificate, ecKey, rsaKey } from '../../../testing/make-certificates.ts';
import { createLogger } from '../base/logger.ts';
import { Certificates } from '../resources/certificates/certificates.ts';
import { HttpsLink } from './https.ts';
import { tryHandshake } from './tls-trial.ts';

const log = createLogger('silent');
const root = authority('Root');
const middle = authority('Middle', root);
const SAN = 'subjectAltName=DNS:lobby.example';

/** Certificates whose handshakes are real and whose port is never opened. */
async function open(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-trial-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const link = new HttpsLink({ addresses: [], log });
  const certificates = new Certificates({
    folder: join(folder, 'certificates'),
    https: { check: (identity, client) => link.check(identity, client), apply: async () => undefined },
    trust: { apply: () => undefined },
    trustChanged: () => undefined,
    changed: () => undefined,
    log,
  });
  const files = () => readdir(join(folder, 'certificates')).catch(() => []);
  return { certificates, files, file: join(folder, 'certificates/server.pem') };
}

const caNamed = (name: string, more: Partial<Parameters<typeof certificate>[0]>) =>
  certificate({ name, extensions: CA_EXTENSIONS, ...more });

const expired = caNamed('Expired', { issuer: root, days: -1 });
const weak = caNamed('Weak', { issuer: root, digest: 'sha1' });
const short = caNamed('Short', { issuer: root, key: rsaKey(1024) });
const oddRoot = caNamed('Odd', { key: ecKey('secp256k1') });
const noMore = caNamed('NoMore', {
  issuer: root,
  extensions: ['basicConstraints=critical,CA:TRUE,pathlen:0', 'keyUsage=critical,keyCertSign'],
});
const below = authority('Below', noMore);
const plain = caNamed('Plain', { issuer: root, extensions: ['basicConstraints=critical,CA:FALSE'] });
const cannotSign = caNamed('CannotSign', {
  issuer: root,
  extensions: ['basicConstraints=critical,CA:TRUE', 'keyUsage=critical,cRLSign'],
});
const otherNames = caNamed('OtherNames', {
  issuer: root,
  extensions: [...CA_EXTENSIONS, 'nameConstraints=critical,permitted;DNS:other.example'],
});
const forClients = caNamed('ForClients', {
  issuer: root,
  extensions: [...CA_EXTENSIONS, 'extendedKeyUsage=clientAuth'],
});

const leafOf = (issuer: typeof root, more: Partial<Parameters<typeof certificate>[0]> = {}) =>
  certificate({ name: 'lobby', issuer, ...more });
const named = (san: string) => certificate({ name: 'lobby', extensions: [san] });

const REFUSED: [string, { cert: string; key: string }, string, RegExp][] = [
  ['SHA-1', leafOf(root, { digest: 'sha1' }), '', /^Certificate 1 \(CN=lobby\) is signed with an algorithm/],
  ['SHA-1, with its root', leafOf(root, { digest: 'sha1' }), root.cert, /^Certificate 1 .*SHA-1/],
  ['SHA-1, self-signed', certificate({ name: 'self', digest: 'sha1' }), '', /^Certificate 1 .*SHA-1/],
  ['an intermediate with SHA-1', leafOf(weak), weak.cert + root.cert, /^Certificate 2 \(CN=Weak\).*SHA-1/],
  ['an expired intermediate', leafOf(expired), expired.cert, /^Certificate 2 \(CN=Expired\) expired at/],
  [
    'a short key in the chain',
    leafOf(short),
    short.cert + root.cert,
    /^The key of Certificate 2 \(CN=Short\)/,
  ],
  ['a curve that browsers lack', leafOf(oddRoot), oddRoot.cert, /^The key of Certificate 2 \(CN=Odd\)/],
  ['no alternative name', named('basicConstraints=CA:FALSE'), '', /lacks a subject alternative name/],
  ['a mail address only', named('subjectAltName=email:a@b.example'), '', /lacks a subject alternative name/],
  ['an address as a DNS name', named('subjectAltName=DNS:10.55.77.1'), '', /IP for an address/],
  [
    'a key that may only sign certificates',
    certificate({ name: 'lobby', extensions: [...CA_EXTENSIONS, SAN] }),
    '',
    /key usage lacks digitalSignature/,
  ],
  [
    'too long a path',
    leafOf(below),
    below.cert + noMore.cert + root.cert,
    /^Clients refuse the certificate: path length constraint exceeded/,
  ],
  [
    'an intermediate that is no authority',
    leafOf(plain),
    plain.cert + root.cert,
    /^Clients refuse .*(invalid CA|purpose)/,
  ],
  [
    'an intermediate that may not sign',
    leafOf(cannotSign),
    cannotSign.cert + root.cert,
    /not part of the chain/,
  ],
  [
    'a forbidden name',
    leafOf(otherNames),
    otherNames.cert + root.cert,
    /^Clients refuse .*permitted subtree/,
  ],
  ['an authority for clients', leafOf(forClients), forClients.cert + root.cert, /^Clients refuse .*purpose/],
];

for (const [what, { cert, key }, chain, reason] of REFUSED) {
  test(`refuses ${what}, and keeps the certificate before`, async (t) => {
    const { certificates, files, file } = await open(t);
    const put = () => certificates.putServer(Buffer.from(cert + key + chain));
    await assert.rejects(put, (error: Error) => {
      assert.deepEqual([error.name, 'code' in error && error.code], ['ApiError', 'bad_request']);
      assert.match(error.message, reason);
      return true;
    });
    assert.deepEqual(await files(), []);
    const good = leafOf(root);
    await certificates.putServer(Buffer.from(good.cert + good.key));
    const before = await readFile(file);
    await assert.rejects(put, { code: 'bad_request' });
    assert.deepEqual(await readFile(file), before);
    assert.deepEqual(certificates.problems(), []);
  });
}

test('accepts what clients accept', async (t) => {
  const { certificates } = await open(t);
  const end = leafOf(middle);
  const old = caNamed('OldRoot', { digest: 'sha1' });
  const underOld = leafOf(old);
  for (const [what, text] of [
    ['a whole chain', end.cert + end.key + middle.cert + root.cert],
    ['a chain without its root', end.cert + end.key + middle.cert],
    ['the certificate alone', end.cert + end.key],
    ['a root with SHA-1', underOld.cert + underOld.key + old.cert],
    ...[
      'subjectAltName=IP:10.55.77.1',
      'subjectAltName=IP:fd00::1',
      'subjectAltName=DNS:*.screens.example',
      'subjectAltName=email:a@b.example,DNS:lobby',
      `${SAN}\nkeyUsage=critical,digitalSignature`,
    ].map((san) => {
      const { cert, key } = named(san);
      return [san, cert + key] as const;
    }),
  ] as const) {
    await assert.doesNotReject(certificates.putServer(Buffer.from(text)), what);
  }
});

test('the handshake itself refuses by the rules of clients', async () => {
  const end = leafOf(root);
  const context = {
    cert: end.cert,
    key: end.key,
    ciphers: 'TLS_AES_128_GCM_SHA256:ECDHE-ECDSA-AES128-GCM-SHA256',
  };
  const refused = (client: { trusted: string[]; host: string }, reason: RegExp) =>
    assert.rejects(tryHandshake(context, client), { code: 'bad_request', message: reason });
  await tryHandshake(context, { trusted: [root.cert], host: 'localhost' });
  await tryHandshake(context, { trusted: [root.cert], host: '127.0.0.1' });
  await refused({ trusted: [middle.cert], host: 'localhost' }, /unable to (get|verify)/);
  await refused({ trusted: [root.cert], host: 'other.example' }, /does not match certificate/);
  await refused({ trusted: [root.cert], host: '192.0.2.1' }, /does not match certificate/);
});

/** A certificate that begins in a year, signed by its own P-256 key; openssl(1) before 3.4 cannot make one. */
function future(): { cert: string; key: string } {
  const { cert, key } = certificate({ name: 'future', days: 730 });
  const { raw } = new X509Certificate(cert);
  const tbs = Buffer.from(raw.subarray(4, 8 + raw.readUInt16BE(6)));
  const validity = tbs.indexOf(Buffer.from([0x30, 30, 0x17, 13]));
  const year = new Date().getUTCFullYear() + 1;
  tbs.write(String(year % 100), validity + 4, 'latin1');
  const algorithm = Buffer.from('300a06082a8648ce3d040302', 'hex');
  const bits = Buffer.concat([Buffer.from([0]), sign('sha256', tbs, key)]);
  const body = Buffer.concat([tbs, algorithm, Buffer.from([3, bits.length]), bits]);
  const der = Buffer.concat([Buffer.from([0x30, 0x82, body.length >> 8, body.length & 0xff]), body]);
  return { cert: new X509Certificate(der).toString(), key };
}

test('accepts a certificate that is not valid yet: the clock of the device may be behind', async (t) => {
  const { certificates, file } = await open(t);
  const { cert, key } = future();
  await certificates.putServer(Buffer.from(cert + key));
  assert.match(await readFile(file, 'utf8'), /PRIVATE KEY/);
});

test('a stored certificate that clients refuse stays in use and is reported', async (t) => {
  const { certificates, file } = await open(t);
  const good = leafOf(root);
  await certificates.putServer(Buffer.from(good.cert + good.key));
  const bad = leafOf(weak);
  await writeFile(file, bad.cert + weak.cert + bad.key);
  await certificates.start();
  assert.equal(certificates.isServerName('localhost'), true);
  assert.match(
    certificates.problems().join(),
    /^Clients refuse the certificate of HTTPS: Certificate 2 \(CN=Weak\)/,
  );
  await certificates.putServer(Buffer.from(good.cert + good.key));
  assert.deepEqual(certificates.problems(), []);
});
