import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFlags, USAGE } from './flags.ts';

test('the port of content bundles is the profile’s unless the command line says another', () => {
  assert.equal(readFlags(['--profile', 'virt']).board.contentPort, 8090);
  assert.equal(readFlags([]).board.contentPort, 0);
  assert.equal(readFlags(['--profile', 'virt', '--content-port', '0']).board.contentPort, 0);
  assert.equal(readFlags(['--content-port', '65535']).board.contentPort, 65535);
  assert.match(USAGE, /--content-port/);
});

test('a content port that is none is an error that names it', () => {
  for (const text of ['65536', '', 'x', '80x', ' 80', '1.5', '999999']) {
    assert.throws(() => readFlags([`--content-port=${text}`]), {
      message: `--content-port ${text} is no port.`,
    });
  }
});
