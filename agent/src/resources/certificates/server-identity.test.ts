import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { repetitions } from '../../../../testing/long-runs.ts';
import { authority, certificate, ecKey, ed25519Key, rsaKey } from '../../../../testing/make-certificates.ts';
import { ApiError } from '../../contract/errors.ts';
import { readServerIdentity, type ServerIdentity } from './server-identity.ts';

const DAY_MS = 86_400_000;
const SAN = 'subjectAltName=DNS:localhost';
const root = authority('Root');
const middle = authority('Middle', root);
const leaf = certificate({ name: 'device', issuer: middle });
const rsa = certificate({ name: 'rsa', key: rsaKey(), issuer: root });

const read = (text: string, now = Date.now()): ServerIdentity =>
  readServerIdentity(Buffer.from(text, 'latin1'), now);
const names = ({ cert }: ServerIdentity): string[] =>
  cert
    .split(/(?<=-----END CERTIFICATE-----\n)/)
    .filter(Boolean)
    .map((pem) => new X509Certificate(pem).subject);

function refused(text: string, reason: RegExp, now?: number): void {
  assert.throws(
    () => read(text, now),
    (error) => {
      assert.ok(error instanceof ApiError && error.code === 'bad_request', String(error));
      assert.match(error.message, reason);
      return true;
    },
  );
}

function keyAs(key: string, type: 'pkcs1' | 'sec1'): string {
  return String(createPrivateKey(key).export({ type, format: 'pem' }));
}

/** Not a working key: generating one of this length takes too long. */
function longRsaKey(): string {
  const number = Buffer.alloc(1025, 0xff).toString('base64url');
  const jwk = {
    kty: 'RSA',
    n: number,
    e: 'AQAB',
    d: number,
    p: number,
    q: number,
    dp: number,
    dq: number,
    qi: number,
  };
  return String(createPrivateKey({ key: jwk, format: 'jwk' }).export({ type: 'pkcs8', format: 'pem' }));
}

test('accepts every kind of key in every format', () => {
  for (const key of [ecKey('P-256'), ecKey('P-384'), ecKey('P-521'), ed25519Key()]) {
    const own = certificate({ name: 'device', key, issuer: root });
    const identity = read(own.cert + own.key);
    assert.equal(identity.key, key);
  }
  const unlimited = certificate({ name: 'unlimited', extensions: ['basicConstraints=CA:FALSE', SAN] });
  const any = certificate({ name: 'any', extensions: ['extendedKeyUsage=anyExtendedKeyUsage', SAN] });
  for (const [cert, key] of [
    [unlimited.cert, unlimited.key],
    [any.cert, any.key],
    [rsa.cert, rsa.key],
    [rsa.cert, keyAs(rsa.key, 'pkcs1')],
    [leaf.cert, keyAs(leaf.key, 'sec1')],
    [
      leaf.cert,
      `-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n${keyAs(leaf.key, 'sec1')}`,
    ],
  ] as const) {
    const identity = read(cert + key);
    assert.match(identity.key, /^-----BEGIN PRIVATE KEY-----\n/);
    assert.ok(new X509Certificate(identity.cert).checkPrivateKey(createPrivateKey(identity.key)));
  }
});

test('puts the chain in order, whatever the order of the file', () => {
  const parts = [leaf.key, leaf.cert, middle.cert, root.cert];
  for (const order of [
    [0, 1, 2, 3],
    [3, 2, 1, 0],
    [2, 0, 3, 1],
    [1, 2, 0, 3],
  ]) {
    const text = order.map((index) => parts[index]).join('\n');
    assert.deepEqual(names(read(text)), ['CN=device', 'CN=Middle', 'CN=Root']);
  }
  assert.deepEqual(names(read(leaf.cert + leaf.key + middle.cert + middle.cert)), ['CN=device', 'CN=Middle']);
  const self = certificate({ name: 'self' });
  assert.deepEqual(names(read(self.cert + self.key)), ['CN=self']);
});

test('reads its own output as the same identity', () => {
  const once = read(leaf.key + middle.cert + leaf.cert);
  const again = read(once.cert + once.key);
  assert.deepEqual([again.cert, again.key], [once.cert, once.key]);
});

test('refuses other files with the reason', () => {
  const encrypted = String(
    createPrivateKey(leaf.key).export({
      type: 'pkcs8',
      format: 'pem',
      cipher: 'aes-256-cbc',
      passphrase: 'x',
    }),
  );
  const encryptedOldWay = String(
    createPrivateKey(leaf.key).export({
      type: 'sec1',
      format: 'pem',
      cipher: 'aes-256-cbc',
      passphrase: 'x',
    }),
  );
  const weakRsa = certificate({ name: 'weak', key: rsaKey(1024) });
  const oddCurve = certificate({ name: 'odd', key: ecKey('secp256k1') });
  const client = certificate({ name: 'client', extensions: ['extendedKeyUsage=clientAuth'] });
  const renewed = certificate({ name: 'renewed', key: leaf.key, issuer: middle });
  for (const [text, reason] of [
    [leaf.cert, /no private key/],
    [leaf.key, /none of the certificates/],
    [leaf.cert + leaf.key + rsa.key, /more than one private key/],
    [leaf.cert + rsa.key, /belongs to none of the certificates/],
    [leaf.cert + leaf.key + renewed.cert, /belongs to several certificates/],
    [leaf.cert + leaf.key + rsa.cert, /^Certificate 2 \(CN=rsa\) did not sign any of the others/],
    [leaf.cert + leaf.key + root.cert, /^Certificate 2 \(CN=Root\) did not sign any of the others/],
    [leaf.cert + encrypted, /is encrypted/],
    [leaf.cert + encryptedOldWay, /is encrypted/],
    [leaf.cert + leaf.key.replace('MIGH', 'MIGI'), /key is damaged or has an unknown format/],
    [
      leaf.cert + leaf.key.replaceAll('PRIVATE KEY', 'OPENSSH PRIVATE KEY'),
      /damaged or has an unknown format/,
    ],
    [leaf.cert + longRsaKey(), /must be RSA with 2048 to 8192 bits/],
    [weakRsa.cert + weakRsa.key, /must be RSA with 2048 to 8192 bits/],
    [oddCurve.cert + oddCurve.key, /EC on P-256, P-384 or P-521/],
    [client.cert + client.key, /is not for TLS servers/],
    [leaf.key + leaf.cert.repeat(17), /more than 16 certificates/],
  ] as const) {
    refused(text, reason);
  }
  refused(leaf.cert + leaf.key, /^Certificate 1 \(CN=device\) expired at/, Date.now() + 31 * DAY_MS);
  assert.deepEqual(names(read(leaf.cert + leaf.key, Date.now() - 365 * DAY_MS)), ['CN=device']);
});

/** The key with one byte of its DER changed. */
function withFlippedByte(pem: string, at: (der: Buffer) => number): string {
  const der = Buffer.from(pem.replaceAll(/-----[^-]+-----|\n/g, ''), 'base64');
  const place = at(der);
  der.writeUInt8(der.readUInt8(place) ^ 0x10, place);
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN PRIVATE KEY-----', ...lines, '-----END PRIVATE KEY-----', ''].join('\n');
}

test('refuses a key with a damaged private part although its public part matches the certificate', () => {
  // In a P-256 key in PKCS#8: version 1, then the private number.
  const number = Buffer.from([0x02, 0x01, 0x01, 0x04, 0x20]);
  const ec = withFlippedByte(leaf.key, (der) => der.indexOf(number) + number.length + 8);
  refused(leaf.cert + middle.cert + ec, /^The private key is damaged/);
  // An RSA key has modulus, exponents and primes in this order. OpenSSL still signs with either the private exponent
  // or the primes.
  const without = (part: number, key: string) => withFlippedByte(key, (der) => Math.floor(der.length * part));
  const damaged = without(0.35, without(0.65, rsa.key));
  refused(rsa.cert + damaged, /^The private key is damaged/);
});

/** Whether a message contains any eight characters of the key's base64. */
function quotes(message: string, key: string): boolean {
  const base64 = key.split('\n').slice(1, -2).join('');
  for (let at = 0; at + 8 <= base64.length; at += 1) {
    if (message.includes(base64.slice(at, at + 8))) return true;
  }
  return false;
}

const whole = `${leaf.cert}${middle.cert}${leaf.key}`;

test('a changed file is refused or gives the same key, and the key is never quoted', () => {
  const place = fc.nat({ max: whole.length });
  const change = fc.oneof(
    fc.record({ at: place, remove: fc.nat({ max: 80 }), insert: fc.constant('') }),
    fc.record({ at: place, remove: fc.constant(1), insert: fc.string({ unit: 'binary', maxLength: 4 }) }),
    fc.record({
      at: place,
      remove: fc.constant(0),
      insert: fc.constantFrom(
        '\n',
        '-----BEGIN ',
        '-----END PRIVATE KEY-----\n',
        'Proc-Type: 4,ENCRYPTED\n',
        '\0',
      ),
    }),
  );
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), (changes) => {
      let text = whole;
      for (const { at, remove, insert } of changes)
        text = text.slice(0, at) + insert + text.slice(at + remove);
      try {
        const { key } = read(text);
        assert.equal(key, leaf.key);
      } catch (error) {
        assert.ok(error instanceof ApiError && error.code === 'bad_request', String(error));
        assert.ok(!quotes(JSON.stringify(error.envelope), leaf.key), error.message);
      }
    }),
    { numRuns: repetitions(200, 10_000) },
  );
});

test('random bytes are refused with an ApiError', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      assert.throws(() => readServerIdentity(Buffer.from(bytes), 0), ApiError);
    }),
  );
});
