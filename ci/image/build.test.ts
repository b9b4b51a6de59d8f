import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { explain } from './build.ts';
import { hashOf } from './lib/hash.ts';
import { CommandError, run } from './lib/run.ts';

const sentences: [string, string, RegExp][] = [
  ['no room', 'dpkg: error: cannot copy: No space left on device', /no room left.*VITRINE_CACHE/],
  [
    'no mirror',
    "Err:1 Temporary failure: Could not resolve 'mirror.example'",
    /mirror could not be reached.*VITRINE_MIRROR/,
  ],
  ['no such package', 'E: Unable to locate package cagge', /does not carry cagge.*packages\.conf/],
];
for (const [what, output, expected] of sentences) {
  test(`${what} becomes a sentence`, () => {
    assert.match(explain(new CommandError('apt-get failed', output)), expected);
  });
}

test('what is not known is told with the command’s own words', () => {
  assert.match(explain(new CommandError('mke2fs failed', 'odd thing')), /mke2fs failed\nodd thing/);
});

test('a failed command tells its last words, from stderr and stdout', async () => {
  await assert.rejects(
    run('sh', ['-c', 'echo one; echo two >&2; exit 3']),
    /sh -c failed \(exit code 3\)\ntwo\none/,
  );
});

// The command would install what is missing; a unit test does not.
const { error } = spawnSync('mmdebstrap', ['--version'], { timeout: 10_000 });
const skip = error && 'mmdebstrap is not installed here';
test('no mirror: one sentence, exit code 1', { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-image-'));
  try {
    // Something that was built before: from nothing it would ask for several GiB on the disk of these tests first.
    mkdirSync(join(folder, 'image', `builder-${hashOf('before')}`), { recursive: true });
    const { status, stderr } = spawnSync(process.execPath, [join(import.meta.dirname, '../image.ts')], {
      encoding: 'utf8',
      timeout: 300_000,
      env: {
        ...process.env,
        VITRINE_CACHE: folder,
        VITRINE_PACKAGE_CACHE: join(folder, 'packages'),
        VITRINE_MIRROR: 'http://127.0.0.1:9/debian',
      },
    });
    assert.equal(status, 1);
    assert.match(stderr, /^vitrine: .*mirror could not be reached/m);
    assert.doesNotMatch(stderr, /^\s+at /m);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
