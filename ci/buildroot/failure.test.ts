import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explainMake } from './failure.ts';

const explain = (output: string): string => explainMake(output, '/dl', '/log');
const failed = (folder: string, step: string): string =>
  `make[1]: *** [package/pkg-generic.mk:179: /out/build/${folder}/.stamp_${step}] Error 1\n`;

const cases: [string, string, RegExp][] = [
  ['a program is missing', "You must install 'rsync' on your build machine\n", /needs the program rsync/],
  [
    'the disk is full',
    `cc1: No space left on device\n${failed('linux-6.12', 'built')}`,
    /^the disk is full.*continues/,
  ],
  [
    'a source has another hash',
    `ERROR: while checking hashes from package/m4/m4.hash\nERROR: m4-1.4.21.tar.xz has wrong sha256 hash:\n${failed('host-m4-1.4.21', 'downloaded')}`,
    /the source m4-1\.4\.21\.tar\.xz does not match its \.hash file \(sha256\)/,
  ],
  [
    'a source has no hash',
    `ERROR: No hash found for linux-custom.tar.gz\n${failed('linux-custom', 'downloaded')}`,
    /no hash file lists the source linux-custom\.tar\.gz/,
  ],
  [
    'a server refuses',
    `wget -nd -O '/x/output' 'https://example.org/a-1.tar.gz' \nERROR 404\n${failed('a-1', 'downloaded')}`,
    /source of a-1 could not be downloaded: every address failed.*https:\/\/example\.org\/a-1\.tar\.gz/,
  ],
  [
    'a package does not compile',
    `x.c:1: error: odd\n${failed('vitrine-wpewebkit-2.54.1', 'built')}`,
    /^vitrine-wpewebkit-2\.54\.1 could not be built\. The last lines of \/log:\nx\.c:1: error: odd/,
  ],
  ['something else', 'Makefile:1: *** missing separator.\n', /^make failed\. .*\nMakefile:1/],
];
for (const [what, output, expected] of cases) {
  test(`${what}: the message says so`, () => assert.match(explain(output), expected));
}

test('only the last lines are shown', () => {
  const output = Array.from({ length: 500 }, (_, index) => `line ${index}`).join('\n');
  const shown = explain(output).split('\n');
  assert.ok(shown.length < 40);
  assert.equal(shown.at(-1), 'line 499');
});
