import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ROOT } from '../lib/places.ts';

/** What the check reads of the partition. */
const LOOK = 65_536;

let folder: string;
let functions: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vitrine-initramfs-'));
  const init = await readFile(join(ROOT, 'board/common/initramfs/init'), 'utf8');
  functions = ['blank', 'check_data'].map((name) => definition(init, name)).join('\n');
});

after(() => rm(folder, { recursive: true, force: true }));

/** A shell function as it stands in the script. */
function definition(script: string, name: string): string {
  const start = script.indexOf(`\n${name}() {\n`);
  const end = script.indexOf('\n}\n', start);
  assert.ok(start > 0 && end > 0, `the script defines ${name}`);
  return script.slice(start, end + 3);
}

/**
 * Runs the check on a partition.
 * @param results what e2fsck ends with, one number for each time it is run
 */
async function check(content: Buffer, results: readonly number[]): Promise<{ state: string; made: boolean }> {
  const partition = join(folder, 'partition');
  const queue = join(folder, 'results');
  await writeFile(partition, content);
  await writeFile(queue, results.map((result) => `${result}\n`).join(''));
  const script = `
    data=$1 queue=$2
    say() { :; }
    warn() { :; }
    made=no
    make_data() { made=yes; }
    in_root() {
      [ "$1" = e2fsck ] || exit 99
      read -r result <"$queue" || exit 98
      sed -i 1d "$queue"
      return "$result"
    }
    ${functions}
    check_data
    echo "$state $made"`;
  const { stdout, stderr } = spawnSync('sh', ['-c', script, 'init', relative('/dev', partition), queue], {
    encoding: 'utf8',
  });
  assert.equal(await readFile(queue, 'utf8'), '', 'e2fsck was run so often');
  const [, state, made] = /^(\w+) (yes|no)\n$/.exec(stdout) ?? assert.fail(stdout + stderr);
  return { state: String(state), made: made === 'yes' };
}

describe('the check of the data partition', () => {
  const used = Buffer.alloc(LOOK * 2, 1);

  test('a blank partition gets its file system', async () => {
    assert.deepEqual(await check(Buffer.alloc(LOOK * 2), []), { state: 'created', made: true });
  });

  test('one that cannot be read to the end of the look is not taken for blank', async () => {
    assert.deepEqual(await check(Buffer.alloc(LOOK - 1), [0]), { state: 'clean', made: false });
  });

  test('what e2fsck says counts', async () => {
    for (const [results, state] of [
      [[0], 'clean'],
      [[1], 'repaired'],
      [[2], 'repaired'],
      [[4, 1], 'repaired'],
      [[8, 1], 'repaired'],
      [[8, 0], 'clean'],
      [[4, 4], 'replaced'],
      [[12, 12], 'replaced'],
      [[8, 8], 'replaced'],
    ] as const) {
      assert.deepEqual(await check(used, results), { state, made: state === 'replaced' }, String(results));
    }
  });

  test('an end without a verdict gives nothing up', async () => {
    for (const result of [16, 32, 125, 126, 127, 128, 137, 139, 143]) {
      const found = await check(used, [result, result]);
      assert.deepEqual(found, { state: 'unchecked', made: false }, String(result));
    }
    assert.deepEqual(await check(used, [137, 0]), { state: 'clean', made: false });
  });
});
