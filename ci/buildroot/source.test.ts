import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { namedTree, type Pin, pinnedTree, projectPin, readPin, seriesOf, versionOfTree } from './source.ts';
import { fakeBuildroot } from './tests/fake-buildroot.ts';

let folder = '';
let said: string[] = [];
const say = (line: string): number => said.push(line);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vitrine-source-'));
  said = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A release archive as Buildroot publishes it, and the pin for it. */
function release(version: string): Pin & { archive: string } {
  fakeBuildroot(join(folder, `buildroot-${version}`), version);
  const archive = join(folder, `buildroot-${version}.tar`);
  const made = spawnSync('tar', ['-C', folder, '-cf', archive, `buildroot-${version}`], { timeout: 60_000 });
  assert.equal(made.status, 0);
  const sha256 = createHash('sha256').update(readFileSync(archive)).digest('hex');
  return { version, url: pathToFileURL(archive).href, sha256, archive };
}

test('the project pins a release of the LTS series', () => {
  const pin = projectPin();
  assert.equal(seriesOf(pin.version), '2026.02');
  assert.ok(pin.url.endsWith(`/buildroot-${pin.version}.tar.xz`), pin.url);
});

test('a pin with a missing or invalid value is rejected', () => {
  const good = `BUILDROOT_VERSION=2026.02.3\nBUILDROOT_URL=https://x/y\nBUILDROOT_SHA256=${'a'.repeat(64)}\n`;
  assert.equal(readPin(good).url, 'https://x/y');
  assert.throws(() => readPin(good.replace('BUILDROOT_URL', 'OTHER')), /no valid BUILDROOT_URL/);
  assert.throws(() => readPin(good.replace('aaaa', 'xyz')), /no valid BUILDROOT_SHA256/);
  assert.throws(() => readPin(good.replace('https:', 'http:')), /no valid BUILDROOT_URL/);
});

test('the release is fetched, checked and unpacked once', async () => {
  const pin = release('2026.02.3');
  const tree = await pinnedTree(join(folder, 'cache'), pin, say);
  assert.equal(versionOfTree(tree), '2026.02.3');
  rmSync(pin.archive);
  assert.equal(await pinnedTree(join(folder, 'cache'), pin, say), tree);
});

test('an archive with a wrong checksum is removed and not unpacked', async () => {
  const pin = release('2026.02.3');
  appendFileSync(pin.archive, 'x');
  await assert.rejects(pinnedTree(join(folder, 'cache'), pin, say), /not the pinned release and was removed/);
  assert.deepEqual(readdirSync(join(folder, 'cache')), []);
});

test('a damaged archive of an earlier run is downloaded again', async () => {
  const pin = release('2026.02.3');
  mkdirSync(join(folder, 'cache'));
  appendFileSync(join(folder, 'cache/buildroot-2026.02.3.tar.xz'), 'half');
  await assert.rejects(pinnedTree(join(folder, 'cache'), pin, say), /SHA-256/);
  assert.ok(existsSync(await pinnedTree(join(folder, 'cache'), pin, say)));
});

test('an archive of a version other than the pinned one is rejected', async () => {
  const pin = { ...release('2026.02.4'), version: '2026.02.3' };
  await assert.rejects(pinnedTree(join(folder, 'cache'), pin, say), /holds Buildroot 2026\.02\.4/);
});

test('a failed download gives a sentence that mentions BUILDROOT_DIR', async () => {
  const pin = { version: '2026.02.3', url: `file://${folder}/none.tar`, sha256: '0'.repeat(64) };
  await assert.rejects(
    pinnedTree(join(folder, 'cache'), pin, say),
    /could not be downloaded.*\n.*BUILDROOT_DIR/,
  );
});

test('a named tree of the pinned series is used; a note says if it is not the pinned release', () => {
  const pin = projectPin();
  assert.equal(namedTree(fakeBuildroot(join(folder, 'a'), pin.version), pin, say), join(folder, 'a'));
  assert.deepEqual(said, []);
  namedTree(fakeBuildroot(join(folder, 'b'), '2026.02.9'), pin, say);
  assert.match(said.join(), /using Buildroot 2026\.02\.9/);
  assert.throws(() => namedTree(fakeBuildroot(join(folder, 'c'), '2025.02.3'), pin, say), /2026\.02\.x/);
  assert.throws(() => namedTree(folder, pin, say), /is not a Buildroot tree/);
});
