import assert from 'node:assert/strict';
import { delimiter } from 'node:path';
import { test } from 'node:test';
import { compareSettings } from './configuration.ts';
import { missingPrograms } from './host.ts';
import { buildEnvironment } from './make.ts';

const BASE = 'BR2_aarch64=y\nBR2_PACKAGE_RAUC=y\nBR2_VITRINE_VERSION="1"\n# BR2_PACKAGE_GRIM is not set\n';

test('equal settings in another order are no change', () => {
  const turned = BASE.split('\n').reverse().join('\n');
  assert.deepEqual(compareSettings(BASE, turned), { changed: [], clean: false });
});

test('an added package needs no clean build, a removed one does', () => {
  const more = `${BASE}BR2_PACKAGE_GRIM=y\n`;
  assert.deepEqual(compareSettings(BASE, more), { changed: ['BR2_PACKAGE_GRIM'], clean: false });
  assert.deepEqual(compareSettings(more, BASE), { changed: ['BR2_PACKAGE_GRIM'], clean: true });
});

test('a new architecture, compiler or kernel needs a clean build; a value of our own packages does not', () => {
  assert.ok(compareSettings(BASE, BASE.replace('BR2_aarch64', 'BR2_x86_64')).clean);
  assert.ok(compareSettings(BASE, `${BASE}BR2_GCC_VERSION_15_X=y\n`).clean);
  assert.ok(compareSettings(BASE, `${BASE}BR2_LINUX_KERNEL_CUSTOM_VERSION_VALUE="6.12.92"\n`).clean);
  assert.ok(!compareSettings(BASE, BASE.replace('"1"', '"2"')).clean);
});

test('make gets neither npm’s variables nor its programs', () => {
  const env = buildEnvironment({
    PATH: ['/src/node_modules/.bin', '/usr/bin', '.', '', '/usr/lib/node_modules/npm/bin/node-gyp-bin'].join(
      delimiter,
    ),
    HOME: '/home/me',
    npm_package_name: 'vitrine',
    npm_config_registry: 'https://registry.example',
    NODE_CHANNEL_FD: '3',
    INIT_CWD: '/src',
    MAKEFLAGS: 'j',
  });
  assert.deepEqual(env, {
    PATH: '/usr/bin',
    HOME: '/home/me',
    npm_config_registry: 'https://registry.example',
  });
});

test('missing programs are listed with their Debian packages', () => {
  const missing = missingPrograms('/nowhere').map(([, name]) => name);
  for (const name of ['make', 'g++', 'rsync', 'cpio']) assert.ok(missing.includes(name), name);
});
