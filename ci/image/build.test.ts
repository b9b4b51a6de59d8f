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
  ['no room', 'dpkg: error: cannot copy: No space left on device', /disk is full.*VITRINE_CACHE/],
  [
    'no mirror',
    "Err:1 Temporary failure: Could not resolve 'mirror.example'",
    /mirror could not be reached.*VITRINE_MIRROR/,
  ],
  ['no such package', 'E: Unable to locate package cagge', /does not carry cagge.*packages\.conf/],
];
for (const [what, output, expected] of sentences) {
  test(`${what} is explained in a sentence`, () => {
    assert.match(explain(new CommandError('apt-get failed', output)), expected);
  });
}

test('an unknown failure is reported with the command’s output', () => {
  assert.match(explain(new CommandError('mke2fs failed', 'odd thing')), /mke2fs failed\nodd thing/);
});

test('the error of a failed command contains the end of stderr and stdout', async () => {
  await assert.rejects(
    run('sh', ['-c', 'echo one; echo two >&2; exit 3']),
    /sh -c failed \(exit code 3\)\ntwo\none/,
  );
});

// The command would install missing packages; a unit test must not.
const { error } = spawnSync('mmdebstrap', ['--version'], { timeout: 10_000 });
const skip = error && 'mmdebstrap is not installed here';
test('no mirror: one sentence, exit code 1', { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-image-'));
  try {
    // Pretend an earlier build: a build from scratch would require several GiB of free disk space first.
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
