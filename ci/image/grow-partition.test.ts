import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { definition, describeDevice, initScript, shell } from './tests/initramfs.ts';

let folder: string;
let growPartition: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vitrine-grow-'));
  await mkdir(join(folder, 'sysfs'));
  growPartition = definition(await initScript(), 'grow_partition');
});

after(() => rm(folder, { recursive: true, force: true }));

describe('the data partition at the end of a larger disk', () => {
  const MIB = 2048;
  const layout = ['2048,16MiB', '34816,8MiB', '51200,8MiB', '67584,8MiB'];
  const table = (disk: string): string =>
    execFileSync('/usr/sbin/sfdisk', ['-d', disk], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const sizeOf = (disk: string, number: number): number =>
    Number(new RegExp(`${number} : start= *\\d+, size= *(\\d+)`).exec(table(disk))?.[1]);

  /** An image of 64 MiB with a hybrid MBR on a disk of 128 MiB. */
  async function disk(name: string, partitions = layout): Promise<string> {
    const path = join(folder, name);
    await writeFile(path, '');
    await truncate(path, 64 * 2 ** 20);
    const input = `label: gpt\n${partitions.join('\n')}\n`;
    execFileSync('/usr/sbin/sfdisk', ['-q', path], { input });
    const content = await readFile(path);
    // The second entry of the MBR: a FAT at the place of the first partition.
    content.write('000000000c0000000008000000800000', 446 + 16, 'hex');
    await writeFile(path, content);
    await truncate(path, 128 * 2 ** 20);
    await describeDevice(folder, path, { size: 128 * MIB });
    for (const [index, line] of partitions.entries()) {
      const start = Number(line.split(',')[0]);
      const number = index + 1;
      await describeDevice(folder, `${path}${number}`, {
        start,
        size: sizeOf(path, number),
        partition: number,
      });
    }
    return path;
  }
  /** Runs grow_partition for the fourth partition and returns the programs that it started in the slot. */
  const grow = (path: string): string[] =>
    shell(
      path,
      `
      disk=$1 data=\${1}4 sysfs=${join(folder, 'sysfs')}
      say() { :; }
      warn() { echo "$*"; }
      in_root() {
        echo "$1"
        [ "$1" = partx ] || PATH=/usr/sbin:/sbin:$PATH "$@" >&2
      }
      ${growPartition}
      grow_partition`,
    )
      .trim()
      .split('\n')
      .filter(Boolean);

  test('it is enlarged once, with everything else in the table unchanged', async () => {
    const path = await disk('larger');
    const [mbr, before] = [(await readFile(path)).subarray(0, 512), table(path)];
    assert.deepEqual(grow(path), ['sfdisk', 'partx']);
    const size = sizeOf(path, 4);
    assert.ok(67_584 + size > 127 * MIB);
    const others = (text: string): string =>
      text.replace(/^last-lba.*$/m, '').replace(/(?<=4 : .*size=) *\d+/, '');
    assert.equal(others(table(path)), others(before));
    assert.deepEqual((await readFile(path)).subarray(0, 512), mbr);
    await describeDevice(folder, `${path}4`, { size });
    assert.deepEqual(grow(path), []);
  });

  test('a table whose write was interrupted is valid by its backup, and is written again', async () => {
    const path = await disk('torn');
    const before = await readFile(path);
    grow(path);
    const done = await readFile(path);
    await describeDevice(folder, `${path}4`, { size: sizeOf(path, 4) });
    const grown = table(path);
    // The header and the entries of the table before it was grown, and a header that is lost.
    for (const [at, sector] of [
      [512, before.subarray(512, 1024)],
      [1024, before.subarray(1024, 1536)],
      [512, Buffer.alloc(512)],
    ] as const) {
      const torn = Buffer.from(done);
      torn.set(sector, at);
      await writeFile(path, torn);
      assert.equal(table(path), grown);
      assert.deepEqual(grow(path), ['sfdisk', 'partx']);
      assert.ok((await readFile(path)).equals(done));
    }
  });

  test('it keeps its size if another partition follows', async () => {
    const path = await disk('followed', [...layout, '92160,4MiB']);
    const before = await readFile(path);
    assert.deepEqual(grow(path), []);
    assert.ok((await readFile(path)).equals(before));
  });
});
