import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createLogger } from '../../base/logger.ts';
import { HandleIssuer, handleKey } from './handles.ts';

const log = createLogger('silent');
let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vitrine-handles-'));
});
after(() => rm(folder, { recursive: true, force: true }));

test('a handle is known to every agent with the same key, for its reader only', () => {
  const key = Buffer.alloc(32, 1);
  const handle = new HandleIssuer(key).issue('a');
  assert.match(handle, /^[\w-]{38}$/);
  assert.ok(new HandleIssuer(key).wasIssued('a', handle));
  assert.ok(!new HandleIssuer(key).wasIssued('b', handle));
  assert.ok(!new HandleIssuer(Buffer.alloc(32, 2)).wasIssued('a', handle));
});

test('a handle that was changed in any character, or in its spelling, was not issued', () => {
  const issuer = new HandleIssuer(Buffer.alloc(32, 1));
  const handle = issuer.issue('a');
  for (let i = 0; i < handle.length; i += 1) {
    const other = handle[i] === 'A' ? 'B' : 'A';
    assert.ok(!issuer.wasIssued('a', handle.slice(0, i) + other + handle.slice(i + 1)), `character ${i}`);
  }
  for (const text of ['', 'x', `${handle}=`, ` ${handle}`, `${handle}A`, handle.slice(0, -1)]) {
    assert.ok(!issuer.wasIssued('a', text), JSON.stringify(text));
  }
});

test('the key is made once, and only the agent can read it', async () => {
  const path = join(folder, 'state/key');
  const key = await handleKey(path, log);
  assert.equal(key.length, 32);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  assert.deepEqual(await handleKey(path, log), key);
});

test('a damaged key is replaced; without a disk there is a key for this run', async () => {
  const path = join(folder, 'damaged');
  await writeFile(path, 'short');
  const key = await handleKey(path, log);
  assert.deepEqual(await readFile(path), key);
  assert.equal((await handleKey(join(path, 'below-a-file'), log)).length, 32);
});
