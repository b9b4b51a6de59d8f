import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { BoardFileError, readBoardFile } from './board-file.ts';

const RPI4 = {
  profile: 'rpi4',
  serial_lines: ['/dev/ttyGS0'],
  content_port: 8090,
  radio: 'dual-band',
  usb_host_port: true,
  screens: ['HDMI-A-1', 'HDMI-A-2'],
  nfc_bus: 'i2c-1',
};

let folder: string;
let path: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vitrine-board-'));
  path = join(folder, 'board.json');
});
after(() => rm(folder, { recursive: true }));

async function boardOf(content: object) {
  await writeFile(path, JSON.stringify(content));
  return readBoardFile(path);
}

test('a board has the values of its file and those common to all appliances', async () => {
  assert.deepEqual(await boardOf(RPI4), {
    profile: 'rpi4',
    ownsSystem: true,
    factoryResetFlag: '/data/.factory-reset',
    serialLines: ['/dev/ttyGS0'],
    contentPort: 8090,
    dataFolder: '/data',
    runtimeFolder: '/run/vitrine',
    managesRadios: true,
    dualBandRadio: true,
    usbHostPort: true,
    screens: ['HDMI-A-1', 'HDMI-A-2'],
  });
});

const radios = [
  { radio: 'none', dualBandRadio: false },
  { radio: 'single-band', dualBandRadio: false },
  { radio: 'dual-band', dualBandRadio: true },
];
for (const { radio, dualBandRadio } of radios) {
  test(`radio ${radio}`, async () => {
    assert.equal((await boardOf({ ...RPI4, radio })).dualBandRadio, dualBandRadio);
  });
}

const wrong: { change: Partial<Record<keyof typeof RPI4, unknown>>; says: RegExp }[] = [
  { change: { profile: undefined }, says: /\/profile is required/ },
  { change: { profile: 'Raspberry Pi' }, says: /\/profile must match/ },
  { change: { serial_lines: '/dev/ttyGS0' }, says: /\/serial_lines must be array/ },
  { change: { serial_lines: ['ttyGS0'] }, says: /\/serial_lines\/0 must match/ },
  { change: { content_port: 0 }, says: /\/content_port must be >= 1/ },
  { change: { content_port: '8090' }, says: /\/content_port must be integer/ },
  { change: { radio: 'triple-band' }, says: /\/radio must be one of none, single-band, dual-band/ },
  { change: { usb_host_port: 1 }, says: /\/usb_host_port must be boolean/ },
  { change: { screens: undefined }, says: /\/screens is required/ },
  { change: { screens: [''] }, says: /\/screens\/0 must NOT have fewer than 1/ },
];
for (const { change, says } of wrong) {
  test(`a file with ${JSON.stringify(change)} is refused: ${says.source}`, async () => {
    await assert.rejects(boardOf({ ...RPI4, ...change }), (error) => {
      assert.ok(error instanceof BoardFileError);
      assert.match(error.message, says);
      assert.ok(error.message.startsWith(`${path} does not describe a board: `), error.message);
      return true;
    });
  });
}

test('a missing file, or one that is not JSON, is refused', async () => {
  assert.throws(() => readBoardFile(join(folder, 'absent.json')), /it cannot be read: ENOENT/);
  await writeFile(path, '{"profile": ');
  assert.throws(() => readBoardFile(path), BoardFileError);
});

test('the agent reports what is wrong with its board file and exits with 1, without the usage', () => {
  const main = join(import.meta.dirname, '../main.ts');
  const args = [main, '--board', join(folder, 'absent.json')];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 30_000 });
  assert.match(stderr, /^\S+absent\.json does not describe a board: it cannot be read: ENOENT[^\n]*\n$/);
  assert.equal(status, 1);
});

const boards = join(import.meta.dirname, '../../../board');
for (const board of readdirSync(boards).filter((name) => existsSync(join(boards, name, 'board.env')))) {
  test(`the file rendered for ${board} is a valid board file`, async () => {
    const args = [join(boards, 'common/show.sh'), board, 'templates/board.json'];
    const { stdout, stderr } = spawnSync('sh', args, { encoding: 'utf8', timeout: 30_000 });
    assert.equal(stderr, '');
    await writeFile(path, stdout);
    const { profile, serialLines, screens } = readBoardFile(path);
    assert.match(board, new RegExp(`^${profile}`));
    assert.ok(serialLines.includes('/dev/ttyGS0'), 'the cable has no serial line');
    assert.ok(screens.length > 0, 'no screen is listed');
  });
}
