import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Drm } from './drm.ts';

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vitrine-drm-'));
});
after(() => rm(folder, { recursive: true }));

async function connector(name: string, files: Record<string, string>): Promise<void> {
  await mkdir(join(folder, name), { recursive: true });
  for (const [file, text] of Object.entries(files)) await writeFile(join(folder, name, file), text);
}

test('reads connectors, not cards, with their state', async () => {
  await mkdir(join(folder, 'card0'));
  await mkdir(join(folder, 'renderD128'));
  await connector('card0-Writeback-1', { status: 'unknown\n' });
  await connector('card0-HDMI-A-1', {
    status: 'connected\n',
    enabled: 'enabled\n',
    dpms: 'On\n',
    modes: '1920x1080\n1920x1080\n1280x720\n',
  });
  await connector('card0-HDMI-A-2', {
    status: 'disconnected\n',
    enabled: 'disabled\n',
    dpms: 'Off\n',
    modes: '',
  });
  await connector('card0-DP-1', { status: 'connected\n', enabled: 'disabled\n', dpms: 'Off\n', modes: '' });
  const nothing = { powered: false, modes: [], make: null, model: null, sizeMm: null, connected: false };
  assert.deepEqual(await new Drm([], folder).read(), [
    { id: 'DP-1', ...nothing },
    {
      id: 'HDMI-A-1',
      connected: true,
      powered: true,
      modes: ['1920x1080', '1280x720'],
      make: null,
      model: null,
      sizeMm: null,
    },
    { id: 'HDMI-A-2', ...nothing },
  ]);
});

test("the board's order comes first, and unknown names change nothing", async () => {
  const ids = async (preferred: string[]) => (await new Drm(preferred, folder).read()).map(({ id }) => id);
  assert.deepEqual(await ids(['HDMI-A-2', 'HDMI-A-1']), ['HDMI-A-2', 'HDMI-A-1', 'DP-1']);
  assert.deepEqual(await ids(['DSI-1', 'HDMI-A-2']), ['HDMI-A-2', 'DP-1', 'HDMI-A-1']);
});

test('a computer without graphics has no connectors', async () => {
  assert.deepEqual(await new Drm([], join(folder, 'absent')).read(), []);
});
