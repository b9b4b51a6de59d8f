import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { authority, CA_EXTENSIONS, certificate, ecKey } from '../../../../testing/make-certificates.ts';
import { ApiError } from '../../contract/errors.ts';
import { readCaCertificates } from './ca-certificates.ts';

const DAY_MS = 86_400_000;
const root = authority('Root One');
const other = authority('Root Two');
const server = certificate({ name: 'server', issuer: root });

const read = (text: string, now = Date.now()): string[] =>
  readCaCertificates(Buffer.from(text, 'latin1'), now);
const names = (pems: string[]): string[] => pems.map((pem) => new X509Certificate(pem).subject);

function refused(text: string, reason: RegExp, now?: number): void {
  assert.throws(
    () => read(text, now),
    (error) => error instanceof ApiError && error.code === 'bad_request' && reason.test(error.message),
  );
}

test('accepts PEM files as they are found in practice', () => {
  const both = root.cert + other.cert;
  for (const [what, text] of [
    ['plain', both],
    ['CRLF', both.replaceAll('\n', '\r\n')],
    ['CR line ends', both.replaceAll('\n', '\r')],
    ['a byte order mark', `\u00ef\u00bb\u00bf${both}`],
    [
      'comments',
      `Bag Attributes\n  localKeyID: 01\n${root.cert}\n# second: x\nissuer=/CN=x\n${other.cert}\nend`,
    ],
    ['indented', both.replaceAll(/^/gm, '    ')],
    ['no last line end', both.trimEnd()],
    ['concatenated without a line end', root.cert.trimEnd() + other.cert],
    ['one of them twice', root.cert + both],
    ['the older label', both.replaceAll('CERTIFICATE', 'X509 CERTIFICATE')],
    ['one long line', both.replaceAll(/([A-Za-z0-9+/=])\n(?!-)/g, '$1')],
  ] as const) {
    assert.deepEqual(names(read(text)), ['CN=Root One', 'CN=Root Two'], what);
  }
});

test('refuses other files with the reason and the certificate', () => {
  const damaged = root.cert.replace(/MII/, 'AAA');
  const lines = root.cert.split('\n');
  for (const [text, reason] of [
    ['', /not a PEM file/],
    ['\0\x01\x02', /not a PEM file/],
    [root.cert + server.cert, /^Certificate 2 \(CN=server\) is not a CA certificate/],
    [root.cert + damaged, /^Certificate 2 is damaged/],
    [root.cert + other.key, /private key/],
    [lines.slice(0, 4).join('\n'), /Block 1 does not end/],
    [`${lines.slice(0, 4).join('\n')}\n${other.cert}`, /Block 1 does not end/],
    [lines.toSpliced(3, 1).join('\n'), /^Certificate 1 is damaged/],
    [lines.with(3, `${lines[3]?.slice(1)}`).join('\n'), /Block 1 is damaged: it is not base64/],
    [lines.with(3, 'Ümlaute!').join('\n'), /Block 1 is damaged: it is not base64/],
    [root.cert.replace('END CERTIFICATE', 'END PUBLIC KEY'), /Block 1 does not end with its/],
    [root.cert.replaceAll(' CERTIFICATE', ' CERTIFICATE REQUEST'), /Block 1 is not a certificate\./],
    ['-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----', /^Certificate 1 is damaged/],
    ['-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----', /no certificate in/],
  ] as const) {
    refused(text, reason);
  }
});

test('refuses expired certificates, and accepts those that are not valid yet because the clock may be behind', () => {
  refused(root.cert, /^Certificate 1 \(CN=Root One\) expired at 20/, Date.now() + 31 * DAY_MS);
  assert.equal(read(root.cert, Date.now() - 365 * DAY_MS).length, 1);
  assert.equal(readCaCertificates(Buffer.from(root.cert)).length, 1);
});

test('refuses a key on a curve with which a TLS client ends the process', () => {
  for (const curve of ['secp256k1', 'brainpoolP256r1']) {
    const odd = certificate({ name: 'Odd', key: ecKey(curve), extensions: CA_EXTENSIONS });
    refused(root.cert + odd.cert, /^Certificate 2 \(CN=Odd\) has a key on another curve/);
    assert.throws(() => readCaCertificates(Buffer.from(odd.cert)), ApiError);
  }
});

test('refuses data after the certificate in its block', () => {
  const der = Buffer.concat([new X509Certificate(root.cert).raw, Buffer.from('more')]).toString('base64');
  refused(`-----BEGIN CERTIFICATE-----\n${der}\n-----END CERTIFICATE-----`, /^Certificate 1 is damaged/);
});

// With a backtracking regular expression a megabyte would take minutes.
test('reads a thousand certificates, and a megabyte of anything, in linear time', {
  timeout: 30_000,
}, () => {
  const many = Array.from({ length: 1000 }, (_, index) => (index % 2 ? root : other).cert).join('');
  assert.equal(read(many).length, 2);
  for (const filler of ['-----BEGIN ', '-----BEGIN CERTIFICATE-----\n', '\n', 'A', '=', 'a:', '-'])
    assert.throws(() => read(filler.repeat(2 ** 20 / filler.length)), ApiError);
});

test('names a certificate without control characters and in limited length', () => {
  const der = new X509Certificate(certificate({ name: 'x'.repeat(60) }).cert).raw;
  for (let at = der.indexOf('xxx'); at >= 0; at = der.indexOf('xxx')) der.fill(7, at, at + 60);
  const changed = `-----BEGIN CERTIFICATE-----\n${der.toString('base64')}\n-----END CERTIFICATE-----`;
  refused(changed, /^Certificate 1 \(CN=[\\07]{97}\) is not a CA/);
});

test('refuses what GnuTLS refuses and OpenSSL reads, also in stored files: the browser would trust nobody', () => {
  const { raw } = new X509Certificate(root.cert);
  const pem = (der: Buffer) =>
    `-----BEGIN CERTIFICATE-----\n${der.toString('base64')}\n-----END CERTIFICATE-----`;
  const changed = (at: number, value: number | string) => {
    const der = Buffer.from(raw);
    der.set(Buffer.from(typeof value === 'number' ? [value] : value), at);
    return pem(der);
  };
  const algorithm = Buffer.from('06082a8648ce3d040302', 'hex'); // ecdsa-with-SHA256
  const version = raw.indexOf(Buffer.from('a003020102', 'hex')) + 4;
  // Searched with the header of the validity: two bytes alone also occur in one of 3500 random serial numbers.
  const begin = raw.indexOf(Buffer.from([0x30, 30, 0x17, 13])) + 4;
  assert.equal(read(pem(raw)).length, 1);
  for (const [text, reason] of [
    [changed(raw.indexOf(algorithm) + 9, 3), /two signature algorithms/],
    [changed(raw.lastIndexOf(algorithm) + 9, 3), /two signature algorithms/],
    [changed(version, 0), /not version 3/],
    [changed(begin, '261301000000Z'), /not a valid time/],
    [changed(begin, '260230000000Z'), /not a valid time/],
    [changed(begin, '269101000000Z'), /not a valid time/],
    [changed(begin + 15, '269101000000Z'), /not a valid time/],
    [changed(begin, '26010100000:Z'), /not a valid time/],
    [changed(begin, '2601010000000'), /not a valid time/],
  ] as const) {
    refused(text, reason);
    assert.throws(() => readCaCertificates(Buffer.from(text)), ApiError);
  }
});

test('refuses encodings other than DER that OpenSSL reads', () => {
  const { raw } = new X509Certificate(root.cert);
  // 30 82 and two bytes of length begin the certificate, then its signed part, whose fields are 30 or a0 here.
  const signed = raw.subarray(4, 8 + raw.readUInt16BE(6));
  const fields = signed.subarray(4);
  const validity = fields.indexOf(Buffer.from([0x30, 30, 0x17, 13]));
  const length = (bytes: number) => [bytes >> 8, bytes & 0xff];
  const wrap = (...parts: Uint8Array[]) => {
    const body = Buffer.concat(parts);
    return Buffer.concat([Buffer.from([0x30, 0x82, ...length(body.length)]), body]);
  };
  const withSigned = (...parts: Uint8Array[]) => wrap(...parts, raw.subarray(4 + signed.length));
  const withValidity = (...parts: Uint8Array[]) =>
    withSigned(wrap(fields.subarray(0, validity), ...parts, fields.subarray(validity + 32)));
  const end = Buffer.alloc(2);
  const times = fields.subarray(validity + 2, validity + 32);
  const first = times.subarray(0, 15);
  const offset = Buffer.concat([Buffer.from([0x17, 17]), first.subarray(2, 14), Buffer.from('+0000')]);
  for (const [der, reason] of [
    [withSigned(Buffer.from([0x30, 0x80]), fields, end), /not DER/],
    [withSigned(Buffer.from([0x30, 0x85, 0, 0, 0, ...length(fields.length)]), fields), /not DER/],
    [withSigned(Buffer.from([0x30, 0x87, 0, 0, 0, 0, 0, ...length(fields.length)]), fields), /not DER/],
    [withValidity(Buffer.from([0x30, 0x80]), times, end), /not DER/],
    [withValidity(Buffer.from([0x30, 34]), offset, times.subarray(15)), /not a valid time/],
  ] as const) {
    assert.ok(new X509Certificate(der).ca);
    refused(`-----BEGIN CERTIFICATE-----\n${der.toString('base64')}\n-----END CERTIFICATE-----`, reason);
  }
});
