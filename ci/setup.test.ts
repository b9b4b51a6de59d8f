import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';
import { explainApt, installPackages, missingFrom, sectionOf } from './setup.ts';

test('a section of packages.conf ends at the next heading and excludes comments', () => {
  const conf = '[settings]\nsuite forky\n[host] # here\na b  # not c\n\nd\n[runtime]\ne\n';
  assert.deepEqual(sectionOf(conf, 'host'), ['a', 'b', 'd']);
  assert.deepEqual(sectionOf(conf, 'absent'), []);
});

test('only packages that dpkg reports as installed count', () => {
  const report = 'qemu-utils installed\nmtools config-files\ngenimage half-installed\n';
  assert.deepEqual(missingFrom(['qemu-utils', 'mtools', 'genimage', 'zstd'], report), [
    'mtools',
    'genimage',
    'zstd',
  ]);
});

test('apt-get output is explained in one sentence', () => {
  const cases: [string, RegExp][] = [
    ['E: Unable to locate package genimage', /does not carry genimage/],
    ['Err:1 …\n  Could not resolve a name', /no package mirror/],
    ['E: Failed to fetch x  Connection timed out', /no package mirror/],
    ['dpkg: error: write: No space left on device', /no room on the disk/],
    ['E: Could not get lock /var/lib/dpkg/lock-frontend', /another package manager/],
    ['E: something new', /output above/],
    // A computer without a package index and without a network: apt reports both.
    [
      "Temporary failure resolving 'mirror.example'\nE: Unable to locate package genimage",
      /no package mirror/,
    ],
    ['E: Failed to fetch x  404  Not Found\n', /output above/],
    ['E: Failed to fetch x  Hash Sum mismatch', /download was interrupted/],
    ['E: Failed to fetch x  write (28: No space left on device)', /no room on the disk/],
    ['apt-get was ended after 20 minutes', /ended after 20 minutes.*genimage/],
  ];
  for (const [output, expected] of cases) assert.match(explainApt(output, ['genimage']), expected);
});

/** Runs `work` with programs of these names first in the PATH; `home` is their folder. */
async function withPrograms(
  programs: Record<string, string>,
  work: (home: string) => Promise<void>,
): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'vitrine-setup-'));
  const { PATH, http_proxy } = process.env;
  try {
    for (const [name, text] of Object.entries(programs)) {
      writeFileSync(join(home, name), `#!/bin/sh\ncd ${home}\n${text}\n`);
      chmodSync(join(home, name), 0o755);
    }
    process.env.PATH = `${home}${delimiter}${PATH ?? ''}`;
    process.env.http_proxy = 'http://proxy.example:3128';
    await work(home);
  } finally {
    process.env.PATH = PATH;
    if (http_proxy === undefined) delete process.env.http_proxy;
    else process.env.http_proxy = http_proxy;
    rmSync(home, { recursive: true });
  }
}

/** An apt-get that logs its calls, finds the index locked once, and installs only after an update. */
const APT_GET = `
echo "$http_proxy $*" >>calls
case " $* " in
*' update '*)
    if [ ! -e tried ]; then touch tried; echo 'E: Unable to lock directory /var/lib/apt/lists/' >&2; exit 100; fi
    touch fetched ;;
*' install '*) [ -e fetched ] || { echo 'E: Unable to locate package vitrine-none' >&2; exit 100; } ;;
esac`;

test('a locked package index is waited for, and the proxy settings of the environment are used', async () => {
  await withPrograms(
    { 'dpkg-query': 'true', 'apt-get': APT_GET, sudo: '[ "$1" = -n ] && shift; exec "$@"' },
    async (home) => {
      await installPackages(['vitrine-none']);
      const calls = readFileSync(join(home, 'calls'), 'utf8').trim().split('\n');
      assert.ok(calls.every((call) => call.startsWith('http://proxy.example:3128 -qq ')));
      assert.equal(calls.filter((call) => call.endsWith(' update')).length, 2);
      assert.match(calls.at(-1) ?? '', / install -y .* vitrine-none$/);
    },
  );
});

test('without a network and without a package index the message names the network', async () => {
  const apt = `case " $* " in *' update '*) echo "Err:1 Temporary failure resolving 'x'" ;; esac
    echo 'E: Unable to locate package vitrine-none'; exit 100`;
  await withPrograms(
    { 'dpkg-query': 'true', 'apt-get': apt, sudo: '[ "$1" = -n ] && shift; exec "$@"' },
    () =>
      assert.rejects(installPackages(['vitrine-none']), /no package mirror could be reached.*vitrine-none/),
  );
});
