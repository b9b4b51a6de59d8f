import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { certificate } from '../../../../testing/make-certificates.ts';
import {
  authorityProblem,
  bodyOf,
  MAX_BYTES,
  type Part,
  readCertificateFile,
  serverProblem,
} from './pem-files.ts';

const { cert, key } = certificate({ name: 'lobby' });
const bytes = (text: string) => new TextEncoder().encode(text);
const block = (label: string, body = 'AAAA') => `-----BEGIN ${label}-----\n${body}\n-----END ${label}-----\n`;
const kinds = (parts: readonly Part[]) => parts.map(({ kind }) => kind);

test('a file is told apart by its blocks, with text around them and any line ends', () => {
  const text = `\ufeffSubject: lobby\r\n${cert.replaceAll('\n', '\r\n')}${key}`;
  const { parts, problem } = readCertificateFile(bytes(text));
  assert.deepEqual([kinds(parts), problem], [['certificate', 'key'], undefined]);
  assert.equal(bodyOf(parts[0]?.text ?? ''), bodyOf(cert));
  const odd = [
    ...['ENCRYPTED PRIVATE KEY', 'RSA PRIVATE KEY', 'EC PARAMETERS', 'NEW CERTIFICATE REQUEST'],
    ...['PUBLIC KEY', 'X509 CRL'],
  ];
  assert.deepEqual(kinds(readCertificateFile(bytes(odd.map((label) => block(label)).join(''))).parts), [
    ...['encrypted_key', 'key', 'request', 'public_key', 'other'],
  ]);
  const old = block('RSA PRIVATE KEY', 'Proc-Type: 4,ENCRYPTED\n\nAAAA');
  assert.deepEqual(kinds(readCertificateFile(bytes(old)).parts), ['encrypted_key']);
});

test('a binary certificate is made PEM; other binary files are refused with the reason', () => {
  const { raw } = new X509Certificate(cert);
  const { parts } = readCertificateFile(raw);
  assert.equal(
    new X509Certificate(parts[0]?.text ?? '').fingerprint256,
    new X509Certificate(cert).fingerprint256,
  );
  const packed = Uint8Array.of(0x30, 0x82, 1, 0, 2, 1, 3, 0x30);
  const problems = [packed, Uint8Array.of(0x30, 5, 2, 1, 0), bytes('hello'), new Uint8Array(0)].map(
    (file) => readCertificateFile(file).problem,
  );
  assert.deepEqual(problems, ['package', 'unknown', 'unknown', 'unknown']);
  assert.equal(readCertificateFile(bytes(cert.slice(0, -20))).problem, 'incomplete');
  assert.equal(readCertificateFile(new Uint8Array(MAX_BYTES + 1)).problem, 'too_large');
});

test('what a server needs is one key and its certificates; authorities have no key', () => {
  const { parts: own } = readCertificateFile(bytes(cert));
  const { parts: keys } = readCertificateFile(bytes(key));
  const of = (label: string) => readCertificateFile(bytes(block(label))).parts;
  assert.equal(serverProblem([...own, ...keys]), undefined);
  assert.equal(serverProblem(own), 'key_missing');
  assert.equal(serverProblem(keys), 'certificate_missing');
  assert.equal(serverProblem([...own, ...keys, ...keys]), 'keys');
  assert.equal(serverProblem([...own, ...of('ENCRYPTED PRIVATE KEY')]), 'key_encrypted');
  assert.equal(serverProblem([...own, ...of('CERTIFICATE REQUEST')]), 'strange');
  assert.equal(authorityProblem([...own, ...own]), undefined);
  assert.equal(authorityProblem([...own, ...keys]), 'key_inside');
  assert.equal(authorityProblem([]), 'certificate_missing');
  assert.equal(authorityProblem(of('X509 CRL')), 'strange');
});
