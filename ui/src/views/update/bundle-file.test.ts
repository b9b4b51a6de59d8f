import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BundleFault, checkBundle } from './bundle-file.ts';

const MANIFEST = '[update]\ncompatible=vitrine-virt\nversion=0.9.0-rc.1\n\n[bundle]\nformat=verity\n';

/** A bundle: payload, signature, size of the signature. */
function bundle(signature = `\x30\x82\x04\xff${MANIFEST}\x00\xff`): Buffer {
  const payload = Buffer.alloc(20_000);
  payload.write('hsqs');
  payload.writeBigUInt64LE(16_000n, 40);
  const end = Buffer.alloc(8);
  const bytes = Buffer.from(signature, 'latin1');
  end.writeBigUInt64BE(BigInt(bytes.length));
  return Buffer.concat([payload, bytes, end]);
}

async function faultOf(bytes: Uint8Array): Promise<BundleFault | undefined> {
  return (await checkBundle(new Blob([new Uint8Array(bytes)]))).fault;
}

test('a bundle says which version and which board it is for', async () => {
  const { facts } = await checkBundle(new Blob([new Uint8Array(bundle())]));
  assert.deepEqual(facts, { version: '0.9.0-rc.1', compatible: 'vitrine-virt' });
  // An encrypted manifest.
  const silent = await checkBundle(new Blob([new Uint8Array(bundle('\x30\x82 something else'))]));
  assert.deepEqual(silent.facts, { version: undefined, compatible: undefined });
});

test('values of another section are not taken for those of the update', async () => {
  const other = bundle('[update]\ncompatible=a\n\n[image.rootfs]\nversion=2\n');
  const { facts } = await checkBundle(new Blob([new Uint8Array(other)]));
  assert.deepEqual(facts, { version: undefined, compatible: 'a' });
});

test('a file that is no bundle, or not all of one, is refused before it is sent', async () => {
  const whole = bundle();
  assert.equal(await faultOf(whole), undefined);
  for (const other of ['', 'hs', 'PK\x03\x04 an archive', 'x'.repeat(30_000)]) {
    assert.equal(await faultOf(Buffer.from(other)), 'not_bundle', other.slice(0, 20));
  }
  for (const length of [4, 47, 56, 1000, 16_000, 20_000, whole.length - 8, whole.length - 1]) {
    assert.equal(await faultOf(whole.subarray(0, length)), 'cut_off', String(length));
  }
  const huge = Buffer.from(whole);
  huge.writeBigUInt64LE(2n ** 60n, 40);
  assert.equal(await faultOf(huge), 'cut_off');
});

test('a file that the browser cannot read has a fault of its own', async () => {
  const gone = new Blob(['hsqs']);
  gone.slice = () => {
    throw new DOMException('the file was changed', 'NotReadableError');
  };
  assert.equal((await checkBundle(gone)).fault, 'unreadable');
});
