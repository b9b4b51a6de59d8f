import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from './lib/places.ts';
import { explainApt, missingFrom, sectionOf } from './setup.ts';

test('a section of packages.conf ends at the next heading and leaves comments out', () => {
  const conf = '[settings]\nsuite forky\n[host] # here\na b  # not c\n\nd\n[runtime]\ne\n';
  assert.deepEqual(sectionOf(conf, 'host'), ['a', 'b', 'd']);
  assert.deepEqual(sectionOf(conf, 'absent'), []);
});

test('the host list of the project names QEMU', () => {
  const conf = readFileSync(join(ROOT, 'ci/image/packages.conf'), 'utf8');
  assert.ok(sectionOf(conf, 'host').includes('qemu-system-x86'));
});

test('only what dpkg reports as installed counts', () => {
  const report = 'qemu-utils installed\nmtools config-files\ngenimage half-installed\n';
  assert.deepEqual(missingFrom(['qemu-utils', 'mtools', 'genimage', 'zstd'], report), [
    'mtools',
    'genimage',
    'zstd',
  ]);
});

test('apt-get output becomes a sentence about its cause', () => {
  const cases: [string, RegExp][] = [
    ['E: Unable to locate package genimage', /does not carry genimage/],
    ['Err:1 …\n  Could not resolve a name', /no package mirror/],
    ['E: Failed to fetch x  Connection timed out', /no package mirror/],
    ['dpkg: error: write: No space left on device', /no room on the disk/],
    ['E: Could not get lock /var/lib/dpkg/lock-frontend', /another package manager/],
    ['E: something new', /output above/],
    // A computer without lists and without a network: apt says both.
    [
      "Temporary failure resolving 'mirror.example'\nE: Unable to locate package genimage",
      /no package mirror/,
    ],
    ['E: Failed to fetch x  404  Not Found\n', /output above/],
    ['E: Failed to fetch x  Hash Sum mismatch', /broke off/],
    ['E: Failed to fetch x  write (28: No space left on device)', /no room on the disk/],
    ['apt-get was ended after 20 minutes', /ended after 20 minutes.*genimage/],
  ];
  for (const [output, expected] of cases) assert.match(explainApt(output, ['genimage']), expected);
});
