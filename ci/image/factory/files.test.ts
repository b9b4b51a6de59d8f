import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { field } from '../../../testing/field.ts';
import { certificate } from '../../../testing/make-certificates.ts';
import { copyFactoryFiles, makeFactoryFiles } from './files.ts';

const MIB = 2 ** 20;
const sha256 = (data: Buffer | string): string => createHash('sha256').update(data).digest('hex');

describe('the files for manufacturing', () => {
  let folder: string;
  let disk: Buffer;
  const cert = certificate({ name: 'Updates' }).cert;
  const make = (): Promise<string[]> =>
    makeFactoryFiles({ folder, release: false, rootfs: { kind: 'packages', suite: 'forky' } });
  const read = (name: string): Promise<string> => readFile(join(folder, name), 'utf8');
  const readJson = async (name: string): Promise<unknown> => JSON.parse(await read(name));

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'vitrine-factory-files-'));
    const root = join(folder, 'root');
    for (const [path, content] of [
      ['usr/lib/os-release', 'NAME=Vitrine\nVERSION_ID=1.2.3\nVARIANT_ID=virt\n'],
      ['usr/lib/clock-epoch', ''],
      ['usr/share/vitrine-packages.txt', 'libfoo++ 1:2.0+dfsg-1~deb1\nnodejs 24.1\n'],
      ['etc/rauc/system.conf', '[system]\ncompatible=vitrine-virt\n'],
      ['etc/rauc/keyring.pem', cert],
    ] as const) {
      await mkdir(join(root, path, '..'), { recursive: true });
      await writeFile(join(root, path), content);
    }
    execFileSync('touch', ['-d', '2026-01-02T03:04:05Z', join(root, 'usr/lib/clock-epoch')]);
    const rootfs = join(folder, 'rootfs.ext4');
    execFileSync('/usr/sbin/mke2fs', ['-q', '-t', 'ext4', '-d', root, rootfs, '4M']);
    const path = join(folder, 'disk.img');
    await writeFile(path, '');
    await truncate(path, 32 * MIB);
    const input =
      'label: gpt\nstart=2048,size=1MiB,name=boot\nstart=4096,size=4MiB,name=rootfs-a\nstart=12288,size=20MiB,name=data\n';
    execFileSync('/usr/sbin/sfdisk', ['-q', path], { input });
    disk = await readFile(path);
    (await readFile(rootfs)).copy(disk, 2 * MIB);
    await writeFile(path, disk);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  test('the manifest describes the image, its inputs and its files', async () => {
    await make();
    const manifest = await readJson('manifest.json');
    assert.deepEqual(field(manifest, 'partitions'), [
      { label: 'boot', offset: MIB, size: MIB },
      { label: 'rootfs-a', offset: 2 * MIB, size: 4 * MIB },
      { label: 'data', offset: 6 * MIB, size: 20 * MIB },
    ]);
    for (const [path, expected] of [
      ['version', '1.2.3'],
      ['board', 'virt'],
      ['compatible', 'vitrine-virt'],
      ['disk.sha256', sha256(disk)],
      ['disk.size', disk.length],
      ['inputs.package_index', '2026-01-02T03:04:05.000Z'],
    ] as const) {
      assert.equal(field(manifest, path), expected, path);
    }
    const asked = spawnSync('openssl', ['x509', '-noout', '-fingerprint', '-sha256'], {
      input: cert,
      encoding: 'utf8',
    });
    assert.deepEqual(field(manifest, 'inputs.keyring_sha256'), [asked.stdout.trim().split('=')[1]]);
    assert.match(String(field(manifest, 'inputs.commit')), /^(?:[0-9a-f]{40}|null)$/);
    const sbom = await readJson('image.cdx.json');
    assert.deepEqual(
      field(sbom, 'components.0.purl'),
      'pkg:deb/debian/libfoo%2B%2B@1%3A2.0%2Bdfsg-1~deb1?distro=forky',
    );
    const agent = await read('agent.cdx.json');
    assert.match(agent, /"pkg:npm\/fastify@/);
    assert.doesNotMatch(agent, /"pkg:npm\/typescript@/);
  });

  test('the compressed disk is the image, and the checksums are those of the files', async () => {
    const names = await make();
    assert.ok(
      execFileSync('zstd', ['-dcq', join(folder, 'disk.img.zst')], { maxBuffer: 64 * MIB }).equals(disk),
    );
    assert.match(
      execFileSync('sha256sum', ['-c', 'SHA256SUMS'], { cwd: folder, encoding: 'utf8' }),
      /disk.img.bmap: OK/,
    );
    const copy = join(folder, 'copy');
    await copyFactoryFiles(names, folder, copy);
    execFileSync('sha256sum', ['-c', 'SHA256SUMS'], { cwd: copy });
  });

  test('the block map has every block but those of the data partition after its first MiB', async () => {
    await make();
    const map = await read('disk.img.bmap');
    const ranges = [...map.matchAll(/<Range chksum="(\w+)"> (\d+)-(\d+) <\/Range>/g)].map(
      ([, sum, from, to]) => ({ sum, from: Number(from) * 4096, to: (Number(to) + 1) * 4096 }),
    );
    assert.deepEqual(
      ranges.map(({ from, to }) => [from, to]),
      [
        [0, 7 * MIB],
        [26 * MIB, 32 * MIB],
      ],
    );
    for (const { sum, from, to } of ranges) assert.equal(sum, sha256(disk.subarray(from, to)));
    const own = /<BmapFileChecksum> (\w+) </.exec(map)?.[1] ?? '';
    assert.equal(own, sha256(map.replace(own, '0'.repeat(64))));
    assert.match(map, new RegExp(`<MappedBlocksCount> ${(13 * MIB) / 4096} <`));
  });

  test('a second run compresses again only if the disk has changed, and gives the same bytes', async () => {
    await make();
    const zst = join(folder, 'disk.img.zst');
    const [sums, marker] = [await read('SHA256SUMS'), Buffer.from('not compressed again')];
    await writeFile(zst, marker);
    await make();
    assert.ok((await readFile(zst)).equals(marker));
    disk[6 * MIB - 1] = 1;
    await writeFile(join(folder, 'disk.img'), disk);
    await make();
    assert.notEqual(await read('SHA256SUMS'), sums);
    disk[6 * MIB - 1] = 0;
    await writeFile(join(folder, 'disk.img'), disk);
    await make();
    assert.equal(await read('SHA256SUMS'), sums);
  });
});
