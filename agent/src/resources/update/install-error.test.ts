import assert from 'node:assert/strict';
import { test } from 'node:test';
import { installError } from './install-error.ts';
import { checkHeader, HEADER_BYTES } from './raucb-header.ts';

/** Most are written as in RAUC's sources; the scenario `update` gets those for bad bundles from RAUC itself. */
const MESSAGES: readonly [message: string, code: string, start: RegExp][] = [
  [
    "Compatible mismatch: Expected 'vitrine-virt' but bundle manifest has 'x'",
    'bundle_invalid',
    /another board/,
  ],
  [
    "Version mismatch: Expected at least '2.0.0' but bundle manifest has '1.0.0'",
    'bundle_invalid',
    /older than the running/,
  ],
  [
    'signature verification failed: Verify error: unable to get local issuer certificate',
    'bundle_invalid',
    /signature .* not accepted/,
  ],
  [
    'Installation error: Failed updating slot rootfs.1: No space left on device',
    'insufficient_storage',
    /no room/,
  ],
  [
    'Failed to stream bundle http://x/: unexpected HTTP status code 404',
    'unavailable',
    /could not be fetched/,
  ],
  [
    'Failed to stream bundle https://x/signature.raucb: failed to configure streaming: SSL certificate problem',
    'unavailable',
    /could not be fetched/,
  ],
  ['Failed mounting bundle: Failed to open /dev/loop-control: No such file', 'internal', /not mount/],
  [
    'Installation error: Pre-install handler error: Child process exited with code 3',
    'bundle_invalid',
    /is damaged/,
  ],
  ['Installation error: Pre-install handler error: Child process exited with code 1', 'internal', /failed/],
  ['', 'unavailable', /interrupted/],
  ['something new', 'internal', /failed/],
];

for (const [message, code, start] of MESSAGES) {
  test(`the error for "${message.slice(0, 40)}"`, () => {
    const error = installError(message, false);
    assert.equal(error.code, code);
    assert.match(error.message, start);
    assert.ok(error.message.includes(message));
  });
}

test('an I/O error means another thing for a bundle that was checked before', () => {
  const mounting = 'Failed mounting bundle: failed to mount: Input/output error';
  assert.equal(installError(mounting, false).code, 'bundle_invalid');
  assert.equal(installError(mounting, true).code, 'internal');
  const message = 'Installation error: Failed updating slot rootfs.1: Input/output error';
  assert.equal(installError(message, false).code, 'unavailable');
  // The fleet client repeats this one, but not for ever.
  assert.equal(installError(message, true).code, 'internal');
});

test('a long message is cut', () => {
  assert.ok(installError('bundle '.repeat(1000), true).message.length < 400);
});

/** The beginning of a squashfs file system of so many bytes. */
function superblock(size: bigint): Buffer {
  const start = Buffer.alloc(HEADER_BYTES);
  start.write('hsqs');
  start.writeBigUInt64LE(size, 40);
  return start;
}

test('what cannot be a bundle is refused from its first bytes on', () => {
  const start = superblock(1000n);
  for (let length = 0; length <= HEADER_BYTES; length += 1) checkHeader(start.subarray(0, length), 1001);
  checkHeader(superblock(2n ** 63n), undefined);
  for (const wrong of ['x', 'h\0', 'PK\u0003\u0004']) {
    assert.throws(() => checkHeader(Buffer.from(wrong), undefined), /not an update bundle/);
  }
  for (const announced of [1000, 48, 0]) {
    assert.throws(() => checkHeader(start, announced), /incomplete/);
  }
  assert.throws(() => checkHeader(superblock(2n ** 64n - 1n), 2 ** 40), /incomplete/);
});
