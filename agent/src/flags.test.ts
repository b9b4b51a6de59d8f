import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readFlags, USAGE } from './flags.ts';

test('the port of content bundles comes from the board, or from the command line', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-flags-'));
  const board = join(folder, 'board.json');
  const content = {
    profile: 'rpi5',
    serial_lines: [],
    content_port: 8090,
    radio: 'none',
    usb_host_port: true,
  };
  await writeFile(board, JSON.stringify({ ...content, screens: [] }));
  assert.equal(readFlags(['--board', board]).board.contentPort, 8090);
  assert.equal(readFlags([]).board.contentPort, 0);
  assert.equal(readFlags(['--board', board, '--content-port', '0']).board.contentPort, 0);
  await rm(folder, { recursive: true });
  assert.equal(readFlags(['--content-port', '65535']).board.contentPort, 65535);
  assert.match(USAGE, /--content-port/);
});

test('a board comes from its file or from a profile, not from both', () => {
  assert.equal(readFlags([]).board.profile, 'generic');
  assert.equal(readFlags(['--profile', 'generic']).board.profile, 'generic');
  assert.throws(() => readFlags(['--profile', 'rpi4']), /^Error: There is no profile rpi4;/);
  assert.throws(() => readFlags(['--profile', 'generic', '--board', '/etc/vitrine/board.json']), {
    message: '--board and --profile exclude each other.',
  });
});

test('an invalid content port is an error that names it', () => {
  for (const text of ['65536', '', 'x', '80x', ' 80', '1.5', '999999']) {
    assert.throws(() => readFlags([`--content-port=${text}`]), {
      message: `--content-port ${text} is not a port.`,
    });
  }
});

test('HTTPS has its own addresses, and an invalid address is an error that names its flag', () => {
  assert.deepEqual(readFlags([]).listenHttps, [{ host: '127.0.0.1', port: 8443 }]);
  const flags = readFlags([
    '--listen',
    '[::]:80',
    '--listen-https',
    '[::]:443',
    '--listen-https=localhost:0',
  ]);
  assert.deepEqual(flags.listen, [{ host: '::', port: 80 }]);
  assert.deepEqual(flags.listenHttps, [
    { host: '::', port: 443 },
    { host: 'localhost', port: 0 },
  ]);
  assert.throws(() => readFlags(['--listen-https', '443']), {
    message: '--listen-https 443 is not HOST:PORT.',
  });
});
