import assert from 'node:assert/strict';
import { test } from 'node:test';
import { imageRequest } from './image.ts';
import { boardNames } from './lib/board-names.ts';

const read = (...args: string[]): ReturnType<typeof imageRequest> =>
  imageRequest(args, { INIT_CWD: '/home/me' });

test('without arguments it is virt from packages', () => {
  assert.deepEqual(read(), { board: 'virt', rootfs: 'packages', clean: false, sbom: false });
});

test('virt by Buildroot when asked for, any other board anyway', () => {
  assert.equal(read('--rootfs', 'buildroot').rootfs, 'buildroot');
  for (const board of boardNames()) {
    assert.equal(read('--board', board).rootfs, board === 'virt' ? 'packages' : 'buildroot');
  }
});

test('paths are relative to where the person stands', () => {
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
    clean: false,
    sbom: false,
    output: '/home/me/out',
    tree: '/home/br',
    keyring: '/k.pem',
    jobs: 4,
  });
});

test('BUILDROOT_DIR names a tree too; the option comes first', () => {
  const env = { BUILDROOT_DIR: '/br' };
  assert.equal(imageRequest(['--board', 'rpi4'], env).tree, '/br');
  assert.equal(imageRequest(['--board', 'rpi4', '--buildroot', '/other'], env).tree, '/other');
});

const refused: [string[], RegExp][] = [
  [['--board', 'toaster'], /no board "toaster"; the boards are .*rpi4/],
  [['--board', '../common'], /no board/],
  [['--rootfs', 'yocto'], /packages or buildroot/],
  [['--board', 'rpi4', '--rootfs', 'packages'], /only virt/],
  [['--output', 'x'], /--output is for Buildroot/],
  [['--sbom'], /--sbom is for Buildroot/],
  [['--clean'], /--clean is for Buildroot/],
  [['--board', 'rpi4', '--jobs', '0'], /--jobs is a number/],
  [['rpi4'], /"--board" missing/],
  [['--bord', 'rpi4'], /bord/],
];
for (const [args, expected] of refused) {
  test(`${args.join(' ')} is refused`, () =>
    assert.throws(() => read(...args), { name: 'Problem', message: expected }));
}
