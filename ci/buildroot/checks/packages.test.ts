import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { packagesOf, sumsOf, uncovered, unlisted } from './packages.ts';

const SUM = 'a'.repeat(64);
const INFO = JSON.stringify({
  fetched: {
    type: 'target',
    version: '1.0',
    licenses: 'MIT',
    license_files: ['LICENSE'],
    downloads: [{ source: 'fetched-1.0.tar.gz', uris: ['https+https://example.org', 'backup'] }],
    hashes: ['fetched.hash'],
    package_dir: '/own/package/fetched',
  },
  beside: {
    type: 'target',
    version: '0.1.0',
    licenses: 'unknown',
    license_files: [],
    downloads: [{ source: 'beside-0.1.0.tar.gz', uris: ['local+/project'] }],
    hashes: [],
    package_dir: '/own/package/beside',
  },
  'host-made-up': { type: 'host', virtual: true },
});

async function uncoveredBy(hashFile: string): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-hashes-'));
  try {
    await writeFile(join(folder, 'fetched.hash'), hashFile);
    return await uncovered(packagesOf(INFO), folder, '/own/');
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('downloads and license texts need strong checksums', async () => {
  const archive = `# a comment\n\nsha256  ${SUM}  fetched-1.0.tar.gz\n`;
  assert.deepEqual(await uncoveredBy(`${archive}sha256  ${SUM}  LICENSE\n`), []);
  assert.deepEqual(await uncoveredBy(archive), ['fetched: no sum of LICENSE']);
});

test('a checksum of another version, a weak one or none does not cover a download', async () => {
  const missing = ['fetched: no sum of fetched-1.0.tar.gz', 'fetched: no sum of LICENSE'];
  assert.deepEqual(await uncoveredBy(`sha256  ${SUM}  fetched-1.1.tar.gz\n`), missing);
  assert.deepEqual(await uncoveredBy(`md5  ${'b'.repeat(32)}  fetched-1.0.tar.gz\n`), missing);
  assert.deepEqual(await uncoveredBy(''), missing);
});

test('a line that is not a checksum fails', () => {
  assert.throws(() => sumsOf('sha256 fetched-1.0.tar.gz'), /no line of a hash file/);
  assert.throws(() => sumsOf(`sha256  ${SUM}0  x.tar`), /64 digits/);
  assert.throws(() => sumsOf('none  xxx  x.tar'), /no line of a hash file/);
});

test('packages need a version, licenses and license files', () => {
  const packages = packagesOf(INFO);
  assert.deepEqual(unlisted(packages, ['fetched']), []);
  assert.deepEqual(unlisted(packages, ['beside', 'gone']), [
    'beside has no license',
    'beside has no license file',
    'gone is not listed',
  ]);
});

test('text that is not the output of show-info is rejected', () => {
  assert.throws(() => packagesOf('{"linux": {"version": 6}}'));
  assert.throws(() => packagesOf('make: *** No rule'));
});
