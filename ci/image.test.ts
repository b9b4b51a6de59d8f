import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { certificate } from '../testing/make-certificates.ts';
import { keyringWarning } from './image/lib/keyring.ts';
import { imageRequest } from './image.ts';
import { boardNames } from './lib/board-names.ts';
import { ROOT } from './lib/places.ts';

const read = (...args: string[]): ReturnType<typeof imageRequest> =>
  imageRequest(args, { INIT_CWD: '/home/me' });

test('the default is virt, built from packages', () => {
  assert.deepEqual(read(), { board: 'virt', rootfs: 'packages', release: false, clean: false, sbom: false });
});

test('virt is built by Buildroot on request, every other board always', () => {
  assert.equal(read('--rootfs', 'buildroot').rootfs, 'buildroot');
  for (const board of boardNames()) {
    assert.equal(read('--board', board).rootfs, board === 'virt' ? 'packages' : 'buildroot');
  }
});

test("paths are relative to the user's working directory", () => {
  const request = read(
    '--board',
    'rpi4',
    '--output',
    'out',
    '--buildroot',
    '../br',
    '--keyring',
    '/k.pem',
    '--jobs',
    '4',
  );
  assert.deepEqual(request, {
    board: 'rpi4',
    rootfs: 'buildroot',
    release: false,
    clean: false,
    sbom: false,
    output: '/home/me/out',
    tree: '/home/br',
    keyring: '/k.pem',
    jobs: 4,
  });
});

test('BUILDROOT_DIR names a Buildroot tree; --buildroot overrides it', () => {
  const env = { BUILDROOT_DIR: '/br' };
  assert.equal(imageRequest(['--board', 'rpi4'], env).tree, '/br');
  assert.equal(imageRequest(['--board', 'rpi4', '--buildroot', '/other'], env).tree, '/other');
});

const refused: [string[], RegExp][] = [
  [['--board', 'toaster'], /no board "toaster"; the boards are .*rpi4/],
  [['--board', '../common'], /no board/],
  [['--rootfs', 'yocto'], /packages or buildroot/],
  [['--board', 'rpi4', '--rootfs', 'packages'], /only virt/],
  [['--sbom'], /--sbom is for Buildroot/],
  [['--clean'], /--clean is for Buildroot/],
  [['--board', 'rpi4', '--jobs', '0'], /--jobs must be a number/],
  [['rpi4'], /"--board" missing/],
  [['--bord', 'rpi4'], /bord/],
];
for (const [args, expected] of refused) {
  test(`${args.join(' ')} is refused`, () =>
    assert.throws(() => read(...args), { name: 'Problem', message: expected }));
}

describe('the keyring that update bundles are verified with', () => {
  let folder: string;
  let development: string;
  let product: string;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'vitrine-keyring-'));
    development = join(folder, 'keyring.pem');
    execFileSync(join(ROOT, 'ci/image/make-key.sh'), [folder]);
    product = join(folder, 'product.pem');
    writeFileSync(product, certificate({ name: 'Shop windows updates' }).cert);
  });
  after(() => rmSync(folder, { recursive: true }));

  test('a release needs the product keyring', () => {
    const release = (env: NodeJS.ProcessEnv, ...args: string[]) => imageRequest(['--release', ...args], env);
    for (const board of ['virt', 'rpi4']) {
      const { release: asked, keyring } = release({}, '--board', board, '--keyring', product);
      assert.deepEqual([asked, keyring], [true, product]);
      assert.equal(release({ VITRINE_KEYRING: product }, '--board', board).keyring, product);
      assert.throws(() => release({}, '--board', board), { name: 'Problem', message: /add --keyring/ });
    }
    const both = join(folder, 'both.pem');
    writeFileSync(both, readFileSync(product, 'utf8') + readFileSync(development, 'utf8'));
    writeFileSync(join(folder, 'empty.pem'), 'nothing');
    for (const [keyring, expected] of [
      [development, /a development key/],
      [both, /a development key/],
      [join(folder, 'none.pem'), /no keyring/],
      [join(folder, 'empty.pem'), /contains no certificate/],
    ] as const) {
      assert.throws(() => release({}, '--keyring', keyring), { name: 'Problem', message: expected });
    }
    assert.throws(() => release({ VITRINE_VERSION: '9' }, '--keyring', product), /VITRINE_VERSION/);
  });

  test('a non-release build with a development key gives a warning', () => {
    assert.match(keyringWarning(development) ?? '', /^WARNING: .* development key .*--release --keyring/);
    assert.equal(keyringWarning(product), undefined);
  });
});
