import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Drm } from '../../../agent/src/system/drm.ts';
import { ROOT } from '../../lib/places.ts';

const ON = { status: 'connected\n', modes: '1920x1080\n' };
const OFF = { status: 'disconnected\n', modes: '' };
const SILENT = { status: 'connected\n', modes: '' };

/** The output of overlay/usr/lib/vitrine/touch-output, and the screen that the agent considers primary. */
async function outputs(connectors: Record<string, typeof ON>, screens?: string[]) {
  const root = mkdtempSync(join(tmpdir(), 'vitrine-touch-'));
  try {
    const drm = join(root, 'sys/class/drm');
    mkdirSync(join(drm, 'card0'), { recursive: true });
    for (const [name, { status, modes }] of Object.entries(connectors)) {
      mkdirSync(join(drm, name));
      writeFileSync(join(drm, name, 'status'), status);
      writeFileSync(join(drm, name, 'modes'), modes);
    }
    if (screens) {
      mkdirSync(join(root, 'etc/vitrine'), { recursive: true });
      // In the format of board/common/templates/board.json.
      const list = screens.map((name) => `"${name}"`).join(',');
      writeFileSync(
        join(root, 'etc/vitrine/board.json'),
        `{\n  "profile": "x",\n  "screens": [${list}],\n  "n": []\n}\n`,
      );
    }
    const { status, stdout, stderr } = spawnSync('sh', [join(ROOT, 'overlay/usr/lib/vitrine/touch-output')], {
      env: { PATH: process.env.PATH, VITRINE_ROOT: root },
      encoding: 'utf8',
      timeout: 60_000,
    });
    assert.equal(status, 0, stderr);
    const known = await new Drm(screens ?? [], drm).read();
    const primary = known.find(({ connected }) => connected) ?? known[0];
    return { touch: stdout, agent: primary ? `WL_OUTPUT=${primary.id}\n` : '' };
  } finally {
    rmSync(root, { recursive: true });
  }
}

const CASES: [string, Record<string, typeof ON>, string[] | undefined, string][] = [
  ['the only connected one', { 'card0-HDMI-A-1': OFF, 'card0-HDMI-A-2': ON }, undefined, 'HDMI-A-2'],
  ['the first by name without an order', { 'card0-DSI-1': ON, 'card0-HDMI-A-1': ON }, [], 'DSI-1'],
  ["the board's first of two", { 'card0-DSI-1': ON, 'card0-HDMI-A-1': ON }, ['HDMI-A-1'], 'HDMI-A-1'],
  [
    "the board's second when its first is off",
    { 'card0-A-1': ON, 'card1-HDMI-A-1': OFF, 'card1-HDMI-A-2': ON },
    ['HDMI-A-1', 'HDMI-A-2'],
    'HDMI-A-2',
  ],
  ["the board's first of none", { 'card0-DSI-1': OFF, 'card0-HDMI-A-1': OFF }, ['HDMI-A-1'], 'HDMI-A-1'],
  ['one that the board does not name', { 'card0-DP-1': ON, 'card0-HDMI-A-1': OFF }, ['HDMI-A-1'], 'DP-1'],
  ['one with modes', { 'card0-HDMI-A-1': SILENT, 'card0-HDMI-A-2': ON }, ['HDMI-A-1'], 'HDMI-A-2'],
  ['none that writes back', { 'card0-Writeback-1': ON, 'card0-Z-1': OFF }, undefined, 'Z-1'],
];
for (const [what, connectors, screens, name] of CASES) {
  test(`touch follows the primary screen: ${what}`, async () => {
    const expected = `WL_OUTPUT=${name}\n`;
    assert.deepEqual(await outputs(connectors, screens), { touch: expected, agent: expected });
  });
}

test('touch follows nothing without graphics hardware', async () => {
  assert.deepEqual(await outputs({}, ['HDMI-A-1']), { touch: '', agent: '' });
});
