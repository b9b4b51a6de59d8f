import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../lib/places.ts';
import { parsePackageConf, readPackageConf } from './conf.ts';

const TEXT = `
[settings]
suite forky
components main contrib   # two of them
architecture amd64
[host]
mmdebstrap
[runtime]
systemd udev # comment
nodejs
[builder]
gcc g++
[sources]
linux-source
[viewer]
grim
[emulator]
qemu-utils
[chromium]
fonts-liberation
[firefox]
firefox-esr
[extracted]
plugins usr/lib/a.so usr/lib/b*.so
plugins usr/lib/c.so
[radios]
iw usr/sbin/iw
[firmware]
u-boot-qemu
`;

test('lists and settings are read, comments are ignored', () => {
  assert.deepEqual(parsePackageConf(TEXT), {
    suite: 'forky',
    components: ['main', 'contrib'],
    architecture: 'amd64',
    host: ['mmdebstrap'],
    runtime: ['systemd', 'udev', 'nodejs'],
    builder: ['gcc', 'g++'],
    viewer: ['grim'],
    emulator: ['qemu-utils'],
    chromium: ['fonts-liberation'],
    firefox: ['firefox-esr'],
    sources: ['linux-source'],
    firmware: ['u-boot-qemu'],
    extracted: new Map([['plugins', ['usr/lib/a.so', 'usr/lib/b*.so', 'usr/lib/c.so']]]),
    radios: new Map([['iw', ['usr/sbin/iw']]]),
  });
});

test('errors name the line or section', () => {
  assert.throws(
    () => parsePackageConf(TEXT.replace('g++', 'g++;reboot')),
    /packages\.conf:12: "g\+\+;reboot"/,
  );
  for (const files of ['', 'etc/x', 'usr/../etc/x']) {
    assert.throws(
      () => parsePackageConf(TEXT.replace('usr/lib/c.so', files)),
      /:25: plugins needs patterns of files in usr/,
    );
  }
  assert.throws(() => parsePackageConf(`gcc\n${TEXT}`), /packages\.conf:1: a package before the first/);
  assert.throws(() => parsePackageConf(TEXT.replace('u-boot-qemu', '')), /section \[firmware\] is missing/);
  assert.throws(() => parsePackageConf(TEXT.replace('suite forky', '')), /setting suite is missing/);
});

test('the project’s own list can be read', () => {
  assert.ok(readPackageConf(join(ROOT, 'ci/image/packages.conf')).runtime.includes('systemd'));
});
