import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import type { OutputSettings } from '../../resources/display/ports.ts';
import { WaylandCompositor } from './compositor.ts';

const PLAIN: OutputSettings = { rotation: 0, scale: 1, mode: null };
const ON = '--output HDMI-A-1 --on --transform normal --scale 1';

let folder: string;
let session: string;
let compositor: WaylandCompositor;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vitrine-compositor-'));
  const [uid, gid] = [process.getuid?.(), process.getgid?.()];
  session = join(folder, String(uid));
  await mkdir(session);
  await writeFile(join(folder, 'passwd'), `other:x:1:1::/:/bin/sh\nkiosk:x:${uid}:${gid}::/:/bin/false\n`);
  await writeFile(join(session, 'wayland-1.lock'), '');
  await writeFile(join(session, 'wayland-1'), '');
  compositor = new WaylandCompositor({
    command: join(folder, 'wlr-randr'),
    runtimeFolders: folder,
    passwd: join(folder, 'passwd'),
  });
});
afterEach(() => rm(folder, { recursive: true }));

/** A wlr-randr that records how it was called and then runs `script`. */
async function wlrRandr(script: string): Promise<void> {
  const note = `echo "$XDG_RUNTIME_DIR $WAYLAND_DISPLAY $*" | sed "s|^${session} wayland-1 ||" >${folder}/called`;
  await writeFile(join(folder, 'wlr-randr'), `#!/bin/sh\n${note}\n${script}\n`, { mode: 0o755 });
}

const called = async () => (await readFile(join(folder, 'called'), 'utf8')).trim();

test('outputs have modes as the contract writes them', async () => {
  const mode = { width: 1280, height: 720, preferred: true };
  const maker = { make: 'RHT', model: 'QEMU Monitor' };
  const unknown = { make: null, model: null };
  const printed = [
    {
      name: 'Virtual-1',
      enabled: true,
      ...maker,
      transform: '270',
      scale: 1.5,
      modes: [
        { ...mode, refresh: 59.940062, current: true },
        { ...mode, refresh: 59.9401, current: false },
      ],
    },
    { name: 'HDMI-A-1', enabled: false, modes: [{ ...mode, refresh: 60, current: false }] },
  ];
  await wlrRandr(`echo '${JSON.stringify(printed)}'`);
  assert.deepEqual(await compositor.outputs(), [
    {
      name: 'Virtual-1',
      mode: '1280x720@59.94',
      rotation: 90,
      scale: 1.5,
      modes: ['1280x720@59.94'],
      ...maker,
    },
    { name: 'HDMI-A-1', mode: null, rotation: null, scale: null, modes: ['1280x720@60'], ...unknown },
  ]);
  assert.equal(await called(), '--json');
});

test('rotations are clockwise, transforms of Wayland counter-clockwise', async () => {
  await wlrRandr("echo '[]'");
  for (const [rotation, transform] of [
    [0, 'normal'],
    [90, '270'],
    [180, '180'],
    [270, '90'],
  ] as const) {
    await compositor.drive('HDMI-A-1', { ...PLAIN, rotation }, []);
    assert.equal(await called(), `${ON.replace('normal', transform)}`);
  }
});

test('turns other outputs off in the same call', async () => {
  await wlrRandr("echo '[]'");
  await compositor.drive('HDMI-A-1', PLAIN, ['HDMI-A-2', 'DSI-1']);
  assert.equal(await called(), `${ON} --output HDMI-A-2 --off --output DSI-1 --off`);
});

test('a mode is the screen’s own with nearly that rate, or computed; without one it is the preferred mode', async () => {
  const modes = [
    { width: 1920, height: 1080, refresh: 60, preferred: true, current: false },
    { width: 1280, height: 720, refresh: 50, preferred: false, current: false },
    { width: 1280, height: 720, refresh: 59.94, preferred: false, current: true },
    { width: 1280, height: 720, refresh: 60.25, preferred: false, current: false },
  ];
  await wlrRandr(`echo '${JSON.stringify([{ name: 'HDMI-A-1', enabled: true, modes }])}'`);
  for (const [mode, args] of [
    [null, ' --mode 1920x1080@60.000000Hz'],
    ['1280x720@50', ' --mode 1280x720@50.000000Hz'],
    ['1280x720@60.2', ''],
    ['1280x720@60.5', ' --mode 1280x720@60.250000Hz'],
    ['1280x720@75', ' --custom-mode 1280x720@75Hz'],
    ['1920x1200@60', ' --custom-mode 1920x1200@60Hz'],
  ] as const) {
    await compositor.drive('HDMI-A-1', { ...PLAIN, mode }, []);
    assert.equal(await called(), ON + args);
  }
});

test('a headless output is painted at 60 Hz unless told otherwise, and has no mode that it prefers', async () => {
  // As printed by wlr-randr 0.5.0 under cage on the headless backend of wlroots 0.20.
  const common = {
    name: 'HEADLESS-1',
    description: 'Headless output 1',
    make: null,
    model: null,
    serial: null,
  };
  const size = { physical_size: { width: 0, height: 0 } };
  const place = { position: { x: 0, y: 0 }, adaptive_sync: false };
  const print = (refresh: number) => {
    const modes = [{ width: 1280, height: 720, refresh, preferred: false, current: true }];
    const on = { ...common, ...size, enabled: true, modes, ...place, transform: '270', scale: 1.5 };
    return wlrRandr(`echo '${JSON.stringify([on])}'`);
  };
  const output = { name: 'HEADLESS-1', rotation: 90, scale: 1.5, make: null, model: null };
  for (const [refresh, mode] of [
    [0, '1280x720@60'],
    [50, '1280x720@50'],
  ] as const) {
    await print(refresh);
    assert.deepEqual(await compositor.outputs(), [{ ...output, mode, modes: [mode] }]);
  }
  await print(0);
  for (const [mode, args] of [
    [null, ''],
    ['1280x720@60', ''],
    ['800x600@50', ' --custom-mode 800x600@50Hz'],
  ] as const) {
    await compositor.drive('HEADLESS-1', { ...PLAIN, mode }, []);
    assert.equal(await called(), `${ON.replace('HDMI-A-1', 'HEADLESS-1')}${args}`);
  }
  await wlrRandr(`echo '${JSON.stringify([{ ...common, ...size, enabled: false, modes: [] }])}'`);
  const off = { ...output, mode: null, rotation: null, scale: null, modes: [] };
  assert.deepEqual(await compositor.outputs(), [off]);
});

test('rejects with the reason that wlr-randr printed', async () => {
  await wlrRandr('echo "unknown output X" >&2; exit 1');
  await assert.rejects(compositor.drive('X', PLAIN, []), { message: 'unknown output X' });
  await wlrRandr('echo {}');
  await assert.rejects(compositor.outputs(), /printed no outputs/);
});

test('rejects without a compositor or its user', async () => {
  await wlrRandr('echo []');
  await rm(join(session, 'wayland-1'));
  await assert.rejects(compositor.outputs(), /no compositor/);
  await writeFile(join(folder, 'passwd'), 'other:x:1:1::/:/bin/sh\n');
  await assert.rejects(compositor.outputs(), /no user kiosk/);
});
