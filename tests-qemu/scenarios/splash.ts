import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { field } from '../../ci/client/events.ts';
import { type Colour, colourAt, colourCount, near, type Picture } from '../../ci/lib/png.ts';
import { messageOf } from '../../ci/lib/problem.ts';
import { zip } from '../../ci/lib/zip.ts';
import { solidPng } from '../../lib/make-png.ts';
import { waitFor } from '../../lib/wait.ts';
import { listed, putBundle } from '../harness/bundles.ts';
import type { Device } from '../harness/device.ts';
import { coloursPage } from '../harness/pages.ts';
import { scenario } from '../harness/suite.ts';

const BOOT: Colour = [200, 40, 160];
const SHUTDOWN: Colour = [30, 160, 60];
const [LEFT, RIGHT]: [Colour, Colour] = [
  [20, 90, 190],
  [230, 150, 10],
];
const LOOK_EVERY_MS = 80;
const BOOT_TEST_MS = 15 * 60_000;

/** The recognised content of the screen. */
type ScreenContent =
  | 'black'
  | 'boot splash'
  | 'shutdown splash'
  | 'waiting page being drawn'
  | 'waiting page'
  | 'waiting page with the image'
  | 'bundle'
  | `other: ${string}`;

function recognise(picture: Picture): ScreenContent {
  const [middle, bottom] = [colourAt(picture, 0.5, 0.4), colourAt(picture, 0.02, 0.99)];
  if (near(middle, BOOT) && near(bottom, BOOT)) return 'boot splash';
  if (near(middle, SHUTDOWN) && near(bottom, SHUTDOWN)) return 'shutdown splash';
  if (near(colourAt(picture, 0.25, 0.5), LEFT) && near(colourAt(picture, 0.75, 0.5), RIGHT)) return 'bundle';
  const colours = colourCount(picture, 21);
  // The page's background is dark, but not black as a console's. The first frame is only the background.
  if (isBackground(bottom)) {
    if (colours > 20) return near(middle, BOOT) ? 'waiting page with the image' : 'waiting page';
    if (isBackground(middle)) return 'waiting page being drawn';
  }
  if (colours === 1 && near(middle, [0, 0, 0])) return 'black';
  return `other: rgb ${middle.join()} in the middle, ${bottom.join()} at the bottom, ${colours} colours`;
}

function isBackground(colour: Colour): boolean {
  return Math.max(...colour) > 8 && near(colour, [0, 0, 0], 48);
}

/**
 * Watches the screen while `work` runs, and appends each new content to `contents`. `work` may wait for an entry.
 */
async function watch(
  device: Device,
  contents: (ScreenContent | 'reset')[],
  work: () => Promise<unknown>,
): Promise<void> {
  const watching = new AbortController();
  const stop = device.host.onRestart(() => contents.push('reset'));
  const look = async (): Promise<void> => {
    while (!watching.signal.aborted) {
      // While the mode of the screen changes, QEMU has no picture.
      const seen = await device.screen().then(recognise, () => undefined);
      if (seen && seen !== contents.at(-1)) contents.push(seen);
      await sleep(LOOK_EVERY_MS);
    }
  };
  const looking = look();
  try {
    await work();
  } catch (error) {
    throw new Error(`${messageOf(error)}; shown on the screen: ${contents.join(', ')}`);
  } finally {
    watching.abort();
    await looking;
    stop();
  }
}

export default scenario({
  title:
    'splash images are shown on the waiting page at once, at shutdown, and at boot until the boot bundle; deletion restores the built-in ones',
  needs: 'machine',
  parts: ['power', 'graphics'],
  machine: 'restored',
  run: async ({ device, test }) => {
    const upload = async (path: string, raw: Buffer) =>
      await device.http('PUT', path, { raw, headers: { 'content-type': 'image/png' } });
    const shows = async (wanted: ScreenContent) =>
      await waitFor(async () => recognise(await device.screen()) === wanted, {
        timeoutMs: 300_000,
        what: `the ${wanted} on the screen`,
        intervalMs: 300,
      });
    const image = solidPng(1280, 720, BOOT);

    await test('an uploaded image is shown on the waiting page at once, and reported on both links', async () => {
      await device.waitForDisplay(
        (display) => field(display, 'mode') === 'waiting' && field(display, 'loading') === false,
        'the waiting page to be loaded',
        300_000,
      );
      const socket = await device.events('splash_changed');
      const serial = await device.serial();
      try {
        await serial.subscribe('splash_changed');
        const [onSocket, onSerial] = [socket.events.mark, serial.events.mark];
        assert.equal((await upload('/files/splash', image)).status, 204);
        const told = await socket.events.next('splash_changed', onSocket);
        assert.deepEqual(told.payload, { kind: 'boot' });
        const toldOnSerial = await serial.events.next('splash_changed', onSerial);
        assert.deepEqual(toldOnSerial.payload, { kind: 'boot' });
        await shows('waiting page with the image');
        assert.deepEqual((await device.http('GET', '/files/splash')).bytes, image);
        assert.deepEqual((await device.http('GET', '/files/splash/shutdown')).bytes, image);
        const mark = socket.events.mark;
        assert.equal((await upload('/files/splash/shutdown', solidPng(1280, 720, SHUTDOWN))).status, 204);
        assert.deepEqual((await socket.events.next('splash_changed', mark)).payload, { kind: 'shutdown' });
      } finally {
        serial.close();
        await socket.close();
      }
    });

    await test('an invalid PNG is rejected, and the image stays', async () => {
      const { status, body } = await upload('/files/splash', Buffer.from('GIF89a, as if'));
      assert.deepEqual([status, field(body, 'error.code')], [400, 'bad_request']);
      const cut = await upload('/files/splash', image.subarray(0, -30));
      assert.deepEqual([cut.status, field(cut.body, 'error.code')], [400, 'bad_request']);
      const large = await upload('/files/splash', Buffer.concat([image, Buffer.alloc(4 * 2 ** 20)]));
      assert.deepEqual([large.status, field(large.body, 'error.code')], [413, 'payload_too_large']);
      assert.deepEqual((await device.http('GET', '/files/splash')).bytes, image);
    });

    await test(
      'a reboot shows the shutdown image until the reset, then the boot image until the boot bundle',
      async () => {
        await putBundle(device, 'board', await zip({ 'index.html': coloursPage(LEFT, RIGHT) }));
        await device.act('PATCH', '/config', { display: { boot_bundle: 'board' } });
        const contents: (ScreenContent | 'reset')[] = [];
        await watch(device, contents, async () => {
          await device.restart(() => device.act('POST', '/device/reboot'));
          // Uses the watcher's pictures: another one might show something that the watcher misses.
          await waitFor(() => contents.includes('bundle', contents.indexOf('reset')), {
            timeoutMs: 300_000,
            what: 'the boot bundle on the screen',
          });
        });
        const reset = contents.indexOf('reset');
        const sequence = contents.join(', ');
        // A picture taken just before the reset may have been recorded just after it.
        const untilReset = contents.slice(0, reset + 2);
        assert.ok(untilReset.includes('shutdown splash'), `before the reset: ${sequence}`);
        const boot = contents.indexOf('boot splash', reset);
        assert.ok(boot > reset, `after the reset: ${sequence}`);
        const page = contents.indexOf('bundle', reset);
        assert.ok(page > boot, sequence);
        // The screen may be black before the browser draws, but no console may be visible in between.
        assert.ok(!contents.slice(boot, page).some((seen) => seen.startsWith('other')), sequence);
        await waitFor(
          async () => (await device.shell.ok('systemctl show -P ActiveState vitrine-splash')) === 'inactive',
          { timeoutMs: 90_000, what: 'the boot splash to have ended' },
        );
        assert.equal(await device.shell.ok('systemctl show -P NRestarts vitrine-kiosk'), '0');
        assert.equal(await device.shell.ok('systemctl list-units --failed --no-legend --plain'), '');
        await device.waitForBundle('board');
        assert.equal(field(await listed(device, 'board'), 'active'), true);
        // The shutdown splash did not prevent the unmounting of /data.
        assert.doesNotMatch(await device.shell.ok('cat /run/vitrine/data.log'), /recovering journal/);
      },
      BOOT_TEST_MS,
    );

    await test('DELETE restores the built-in images', async () => {
      await device.showWaiting();
      await shows('waiting page with the image');
      const socket = await device.events('splash_changed');
      try {
        for (const [path, kind] of [
          ['/files/splash/shutdown', 'shutdown'],
          ['/files/splash', 'boot'],
        ] as const) {
          const mark = socket.events.mark;
          assert.equal((await device.http('DELETE', path)).status, 204);
          assert.deepEqual((await socket.events.next('splash_changed', mark)).payload, { kind });
        }
      } finally {
        await socket.close();
      }
      await shows('waiting page');
      const { bytes } = await device.http('GET', '/files/splash');
      assert.notDeepEqual(bytes, image);
      const builtIn = await device.shell.ok('base64 -w0 /usr/lib/vitrine/agent/page/splash.png');
      assert.equal(bytes.toString('base64'), builtIn);
      assert.equal(await device.shell.ok('ls /data/splash'), '');
    });
  },
});
