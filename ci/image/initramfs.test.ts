import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ROOT } from '../lib/places.ts';
import { definition, describeDevice, initScript, shell } from './tests/initramfs.ts';

/** How much of the partition the check for a blank one reads, in bytes. */
const LOOK = 65_536;

let folder: string;
/** The functions of the script that decide; and these with the ones that call mke2fs and tune2fs. */
let functions: string;
let realFunctions: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vitrine-initramfs-'));
  const init = await initScript();
  const names = ['blank', 'new_data', 'unusable', 'check_data', 'bring_up_data'];
  functions = names.map((name) => definition(init, name)).join('\n');
  const erase = /^erase\(\) .*$/m.exec(init)?.[0] ?? assert.fail('the script defines erase');
  const making = ['make_data', 'add_quota'].map((name) => definition(init, name));
  realFunctions = [erase, ...making, functions].join('\n');
  await mkdir(join(folder, 'sysfs'));
});

after(() => rm(folder, { recursive: true, force: true }));

/**
 * Runs bring_up_data with fakes for the programs that it calls.
 * @param results exit codes of e2fsck, one for each run
 * @param mounts whether the file system can be mounted
 */
async function bringUp(
  content: Buffer,
  results: readonly number[],
  mounts = true,
): Promise<{ state: string; made: boolean; mounted: boolean }> {
  const partition = join(folder, 'partition');
  const queue = join(folder, 'results');
  await writeFile(partition, content);
  await writeFile(queue, results.map((result) => `${result}\n`).join(''));
  const stdout = shell(
    partition,
    `
    data=$1 queue=${queue}
    say() { :; }
    warn() { :; }
    sed() { [ "$1" = -n ] || command sed "$@"; }
    made=no mounted=no
    make_data() { made=yes; }
    add_quota() { :; }
    mount_data() { mounted=${mounts ? 'yes' : 'no'}; [ $mounted = yes ]; }
    in_root() {
      [ "$1" = e2fsck ] || exit 99
      read -r result <"$queue" || exit 98
      sed -i 1d "$queue"
      return "$result"
    }
    ${functions}
    bring_up_data
    echo "$state $made $mounted"`,
  );
  assert.equal(await readFile(queue, 'utf8'), '', 'e2fsck was run so often');
  const [, state, made, mounted] = /^(\w+) (yes|no) (yes|no)\n$/.exec(stdout) ?? assert.fail(stdout);
  return { state: String(state), made: made === 'yes', mounted: mounted === 'yes' };
}

describe('the data partition at boot', () => {
  const used = Buffer.alloc(LOOK * 2, 1);
  /** Result of an interrupted mke2fs: the first block is empty. */
  const unfinished = Buffer.concat([Buffer.alloc(4096), used]);

  test('a blank partition gets a new file system', async () => {
    const found = await bringUp(Buffer.alloc(LOOK * 2), []);
    assert.deepEqual(found, { state: 'created', made: true, mounted: true });
  });

  test('a partition that cannot be read completely does not count as blank', async () => {
    const found = await bringUp(Buffer.alloc(LOOK - 1), [0]);
    assert.deepEqual(found, { state: 'clean', made: false, mounted: true });
  });

  test('the exit code of e2fsck decides, and the content is given up only for uncorrected errors', async () => {
    for (const [results, state] of [
      [[0], 'clean'],
      [[1], 'repaired'],
      [[2], 'repaired'],
      [[4, 1], 'repaired'],
      [[8, 1], 'repaired'],
      [[8, 0], 'clean'],
      [[4, 4], 'replaced'],
      [[4, 5], 'replaced'],
      [[8, 8], 'unusable'],
      [[8, 9], 'unusable'],
      [[4, 8], 'unusable'],
      [[12, 12], 'unusable'],
      [[4, 15], 'unusable'],
    ] as const) {
      const found = await bringUp(used, results);
      const [made, mounted] = [state === 'replaced', state !== 'unusable'];
      assert.deepEqual(found, { state, made, mounted }, String(results));
    }
  });

  test('a file system whose creation was interrupted is created again', async () => {
    assert.deepEqual(await bringUp(unfinished, [8, 8]), { state: 'created', made: true, mounted: true });
    // e2fsck found a backup of the first block.
    assert.deepEqual(await bringUp(unfinished, [8, 1]), { state: 'repaired', made: false, mounted: true });
  });

  test('when e2fsck fails to run, the content is kept', async () => {
    for (const result of [16, 24, 32, 125, 126, 127, 128, 137, 139, 143]) {
      const found = await bringUp(used, [result, result]);
      assert.deepEqual(found, { state: 'unchecked', made: false, mounted: true }, String(result));
    }
    assert.deepEqual(await bringUp(used, [137, 0]), { state: 'clean', made: false, mounted: true });
  });

  test('a file system that cannot be mounted is left untouched, unless it was just created', async () => {
    for (const result of [0, 1, 16]) {
      const found = await bringUp(used, result === 16 ? [16, 16] : [result], false);
      assert.deepEqual(found, { state: 'unusable', made: false, mounted: false }, String(result));
    }
    const created = await bringUp(Buffer.alloc(LOOK), [], false);
    assert.deepEqual(created, { state: 'missing', made: true, mounted: false });
    const replaced = await bringUp(used, [4, 4], false);
    assert.deepEqual(replaced, { state: 'missing', made: true, mounted: false });
  });
});

describe('the data partition, with the real programs', () => {
  const run = (partition: string, call: string): string =>
    shell(
      partition,
      `
      data=$1 sysfs=${join(folder, 'sysfs')}
      say() { :; }
      warn() { :; }
      sed() { :; }
      in_root() { PATH=/usr/sbin:/sbin:$PATH "$@" >&2; }
      mount_data() { :; }
      kernel_has_quota() { [ "$quota" != no ]; }
      ${realFunctions}
      ${call}
      echo "$state"`,
    ).trim();
  const dump = (partition: string): string =>
    execFileSync('/usr/sbin/dumpe2fs', ['-h', partition], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  const features = (partition: string): string[] =>
    (/^Filesystem features: +(.*)$/m.exec(dump(partition))?.[1] ?? '').split(' ').sort();
  const digest = async (partition: string): Promise<string> =>
    createHash('sha256')
      .update(await readFile(partition))
      .digest('hex');
  const blank = async (name: string, mib = 32): Promise<string> => {
    const partition = join(folder, name);
    await writeFile(partition, '');
    await truncate(partition, mib * 2 ** 20);
    await describeDevice(folder, partition, { size: mib * 2048 });
    return partition;
  };

  test('a file system with a feature that e2fsck does not know is left untouched', async () => {
    const partition = await blank('newer');
    assert.equal(run(partition, 'bring_up_data'), 'created');
    assert.equal(run(partition, 'bring_up_data'), 'clean');
    const change = 'set_super_value feature_incompat 0x400002c2';
    execFileSync('/usr/sbin/debugfs', ['-w', '-R', change, partition], { stdio: 'ignore' });
    const before = await digest(partition);
    assert.equal(run(partition, 'bring_up_data'), 'unusable');
    assert.equal(await digest(partition), before);
  });

  test('a new file system does not depend on the defaults of mke2fs', async () => {
    const partition = await blank('pinned');
    const conf = join(folder, 'mke2fs.conf');
    await writeFile(
      conf,
      `[defaults]
base_features = sparse_super2,metadata_csum_seed
blocksize = 1024
inode_size = 128
inode_ratio = 4096
[fs_types]
ext4 = {
  features = inline_data,casefold
  inode_size = 512
}
small = {
  blocksize = 2048
}
`,
    );
    run(partition, `export MKE2FS_CONFIG=${conf}; make_data; state=made`);
    const init = await initScript();
    const named = (/ -O none,(\S+)/.exec(definition(init, 'make_data'))?.[1] ?? '').split(',');
    assert.ok(named.length > 10);
    assert.deepEqual(features(partition), named.sort());
    assert.match(dump(partition), /^Block size: +4096$[\s\S]*^Inode size:\s+256$/m);
  });

  test('a file system of an older version gets quotas', async () => {
    const partition = await blank('older');
    execFileSync('/usr/sbin/mke2fs', ['-q', '-F', '-t', 'ext4', partition]);
    assert.ok(!features(partition).includes('project'));
    assert.equal(run(partition, 'quota=no; bring_up_data'), 'clean');
    assert.ok(!features(partition).includes('project'));
    assert.equal(run(partition, 'bring_up_data'), 'clean');
    assert.ok(features(partition).includes('project') && features(partition).includes('quota'));
    const before = await digest(partition);
    run(partition, 'add_quota; state=same');
    assert.equal(await digest(partition), before);
    assert.equal(run(partition, 'in_root e2fsck -f -n "/dev/$data"; state=$?'), '0');
  });

  // With 192 MiB there is a backup of the superblock, from which e2fsck restores a file system.
  test('an interrupted factory reset is completed by the next boot, without any of the previous data', async () => {
    const partition = await blank('reset', 192);
    execFileSync('/usr/sbin/mke2fs', ['-q', '-F', '-t', 'ext4', '-b', '4096', partition]);
    const debugfs = (request: string): string =>
      execFileSync('/usr/sbin/debugfs', ['-w', '-R', request, partition], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      });
    debugfs(`write ${join(ROOT, 'package.json')} secret`);
    const content = await readFile(partition);
    // The power is cut: after the first step of make_data; after all steps before mke2fs; when mke2fs has written
    // everything but the superblock, which it writes last.
    const backup = 32_768 * 4096;
    for (const [cut, state, has] of [
      ['erase() { [ "$1" != 0 ] || exit 0; ERASE "$@"; }; make_data', 'clean', true],
      ['in_root() { exit 0; }; make_data', 'created', false],
      ['make_data; dd if=/dev/zero of="/dev/$data" bs=4096 count=1 conv=notrunc', 'repaired', false],
    ] as const) {
      await writeFile(partition, content);
      run(
        partition,
        `(ERASE() { dd if=/dev/zero of="/dev/$data" bs=4096 seek="$1" count="$2" conv=notrunc; }; ${cut})`,
      );
      if (state !== 'repaired') {
        const left = (await readFile(partition)).subarray(backup, backup + 4096);
        assert.ok(
          left.every((byte) => byte === 0),
          'the backup of the superblock is left',
        );
      }
      assert.equal(run(partition, 'bring_up_data'), state, cut);
      assert.equal(debugfs('ls -p /').includes('/secret/'), has, cut);
    }
  });
});
