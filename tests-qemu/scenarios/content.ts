import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { EventLog } from '../../client/channel.ts';
import { field } from '../../testing/field.ts';
import type { Colour } from '../../testing/png.ts';
import { waitFor } from '../../testing/wait.ts';
import { zip } from '../../testing/zip.ts';
import { listed, putBundle, sendBundle } from '../harness/bundles.ts';
import { BLUE, GREEN, menuBundle, waitForMenu } from '../harness/menu-app.ts';
import { coloursPage } from '../harness/pages.ts';
import { scenario } from '../harness/suite.ts';

const PINK: Colour = [220, 60, 140];
const TEAL: Colour = [0, 128, 128];
/** Time limit of tests that wait until all checks of the app have passed. */
const MENU_TEST_MS = 20 * 60_000;

/** Waits until an operation has succeeded, and returns the payloads of all its events since `mark`. */
async function doneEvents(log: EventLog, mark: number, id: unknown): Promise<unknown[]> {
  const ours = (payload: unknown): boolean => field(payload, 'operation_id') === id;
  const ended = (payload: unknown): boolean => ours(payload) && field(payload, 'state') !== 'running';
  const { payload } = await log.next('operation', mark, ended, 120_000);
  assert.equal(field(payload, 'state'), 'done', JSON.stringify(payload));
  const all = log.since(mark, 'operation').map((event) => event.payload);
  return all.filter(ours);
}

/** Archives that must be rejected, each with the expected error message. `good` is a valid archive. */
async function badArchives(good: Buffer): Promise<[RegExp, Buffer][]> {
  const page = coloursPage(PINK, TEAL);
  const photo = Buffer.alloc(2000, 9);
  const damaged = await zip({ 'index.html': page, 'photo.jpg': photo });
  damaged[damaged.indexOf(photo) + 1000] = 1;
  const inward = (await zip({ 'index.html': page, 'up/evil.js': '' })).toString('latin1');
  const upwards = Buffer.from(inward.replaceAll('up/evil.js', '../evil.js'), 'latin1');
  return [
    [/not a zip/i, Buffer.from('<!doctype html><title>a page</title>')],
    [/file is truncated/, good.subarray(0, good.length - 100)],
    [/index\.html/, await zip({ 'start.html': page })],
    [/photo\.jpg/, damaged],
    [/\.\.\/evil\.js/, upwards],
  ];
}

export default scenario({
  title: 'a single-page app as a bundle: stored, shown without a host, replaced, damaged',
  needs: 'system',
  machine: 'restored',
  run: async ({ device, test }) => {
    const menu = await menuBundle(GREEN);

    await test('an upload is an operation with events on both links, and the bundle is listed', async () => {
      const socket = await device.events('operation');
      const serial = await device.serial();
      try {
        await serial.subscribe('operation');
        const marks = [socket.events.mark, serial.events.mark] as const;
        const { status, body, bytes } = await sendBundle(device, 'menu', menu);
        assert.equal(status, 202, bytes.toString());
        assert.equal(field(body, 'kind'), 'content_upload');
        const id = field(body, 'operation_id');
        const told = await doneEvents(socket.events, marks[0], id);
        assert.deepEqual(await doneEvents(serial.events, marks[1], id), told);
        assert.equal(field(told[0], 'state'), 'running');
        assert.deepEqual(await device.get(`/operations/${String(id)}`), told.at(-1));
        const progress = told.map((payload) => Number(field(payload, 'progress')));
        assert.deepEqual(
          progress,
          progress.toSorted((a, b) => a - b),
        );
        assert.equal(progress.at(-1), 1);
      } finally {
        await serial.close();
        await socket.close();
      }
      const { created, ...entry } = Object(await listed(device, 'menu'));
      assert.deepEqual(entry, {
        name: 'menu',
        size_bytes: menu.length,
        sha256: createHash('sha256').update(menu).digest('hex'),
        active: false,
      });
      assert.match(String(created), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      assert.equal(field(await device.act('POST', '/content/menu/check'), 'ok'), true);
      // Stored unchanged.
      const [sum] = (await device.shell.ok('sha256sum /data/content/menu.*.zip')).split(' ');
      assert.equal(sum, entry.sha256);
    });

    await test(
      'the displayed app can use modules, storage, a service worker, ranges and video',
      async () => {
        const socket = await device.events('display_state');
        try {
          const mark = socket.events.mark;
          const answer = await device.act('POST', '/display/bundle', { name: 'menu' });
          assert.equal(field(answer, 'mode'), 'bundle');
          await waitForMenu(device, GREEN);
          const display = await device.waitForBundle('menu');
          assert.equal(field(display, 'error'), null);
          assert.equal(field(display, 'url'), undefined);
          const { payload } = await socket.events.next(
            'display_state',
            mark,
            (state) => field(state, 'bundle') === 'menu' && field(state, 'loading') === false,
          );
          assert.equal(field(payload, 'mode'), 'bundle');
        } finally {
          await socket.close();
        }
      },
      MENU_TEST_MS,
    );

    await test('a bundle that is shown is active and cannot be deleted', async () => {
      assert.equal(field(await listed(device, 'menu'), 'active'), true);
      const { status, body } = await device.http('DELETE', '/content/menu');
      assert.equal(status, 409);
      assert.equal(field(body, 'error.code'), 'bundle_in_use');
    });

    await test(
      'without a host, after a restart of the browser, the device shows the bundle again',
      async () => {
        const serial = await device.serial();
        try {
          await serial.subscribe('display_state');
          await device.withoutHost(async () => {
            await assert.rejects(device.http('GET', '/device', { timeoutMs: 5000 }));
            const browser = async (): Promise<unknown> =>
              field((await serial.request('GET', '/device/health')).body, 'browser.pid');
            const before = await browser();
            const mark = serial.events.mark;
            const { status } = await serial.request('POST', '/display/restart-browser');
            assert.equal(status, 200);
            await serial.events.next(
              'display_state',
              mark,
              (state) => field(state, 'loading') === false && field(state, 'error') === null,
              300_000,
            );
            assert.notEqual(await browser(), before);
            await waitForMenu(device, GREEN);
            await assert.rejects(device.http('GET', '/device', { timeoutMs: 5000 }));
          });
        } finally {
          await serial.close();
        }
        await waitFor(async () => (await device.http('GET', '/device', { timeoutMs: 5000 })).status === 200, {
          timeoutMs: 300_000,
          what: 'the API after the cable is plugged in again',
        });
      },
      MENU_TEST_MS,
    );

    await test(
      'when the displayed bundle is replaced, the new version is shown although a service worker is active',
      async () => {
        await putBundle(device, 'menu', await menuBundle(BLUE));
        await waitForMenu(device, BLUE);
        assert.equal(field(await listed(device, 'menu'), 'active'), true);
      },
      MENU_TEST_MS,
    );

    await test('a bundle is uploaded in chunks over serial, and shown', async () => {
      // More than one chunk.
      const archive = await zip({
        'index.html': coloursPage(PINK, TEAL),
        'photo.jpg': Buffer.alloc(50_000, 7),
      });
      const serial = await device.serial();
      try {
        await serial.subscribe('operation');
        const mark = serial.events.mark;
        const answer = await serial.request('PUT', '/content/card', { raw: archive });
        assert.equal(answer.status, 202, JSON.stringify(answer.body));
        await doneEvents(serial.events, mark, field(answer.body, 'operation_id'));
        const sha256 = createHash('sha256').update(archive).digest('hex');
        assert.equal(field(await listed(device, 'card'), 'sha256'), sha256);
        const { status } = await serial.request('POST', '/display/bundle', { json: { name: 'card' } });
        assert.equal(status, 200);
        await device.waitForColours(PINK, TEAL);
        assert.equal(field(await listed(device, 'menu'), 'active'), false);
      } finally {
        await serial.close();
      }
    });

    await test('invalid archives are rejected with the reason, and the existing bundle stays', async () => {
      const before = await listed(device, 'menu');
      const socket = await device.events('operation');
      try {
        for (const [reason, archive] of await badArchives(menu)) {
          const mark = socket.events.mark;
          const { status, body } = await sendBundle(device, 'menu', archive);
          assert.equal(status, 400, String(reason));
          assert.equal(field(body, 'error.code'), 'bundle_invalid');
          assert.match(String(field(body, 'error.message')), reason);
          const failed = (payload: unknown): boolean => field(payload, 'state') === 'failed';
          const { payload } = await socket.events.next('operation', mark, failed);
          assert.deepEqual(field(payload, 'error'), body);
        }
      } finally {
        await socket.close();
      }
      assert.deepEqual(await listed(device, 'menu'), before);
      assert.equal(field(await device.act('POST', '/content/menu/check'), 'ok'), true);
      assert.match(await device.shell.ok('ls -A /data/content'), /^card\.\S+\.zip\nmenu\.\S+\.zip$/);
    });

    await test('for a bundle damaged on the disk the check names the entry; an unreadable bundle is not shown', async () => {
      const photo = Buffer.alloc(20_000, 9);
      const archive = await zip({ 'index.html': coloursPage(TEAL, PINK), 'photo.jpg': photo });
      await putBundle(device, 'hurt', archive);
      const overwrite = async (at: number): Promise<void> => {
        const to = 'of=$(echo /data/content/hurt.*.zip) bs=1 conv=notrunc status=none';
        await device.shell.ok(`printf damaged | dd ${to} seek=${at} && sync`);
      };
      await overwrite(archive.indexOf(photo) + 5000);
      const check = await device.act('POST', '/content/hurt/check');
      assert.equal(field(check, 'ok'), false);
      assert.match(String(field(check, 'message')), /photo\.jpg/);
      // The name in front of the data: now the list of entries is inconsistent.
      await overwrite(archive.indexOf('photo.jpg'));
      const { status, body } = await device.http('POST', '/display/bundle', { json: { name: 'hurt' } });
      assert.equal(status, 400);
      assert.equal(field(body, 'error.code'), 'bundle_invalid');
      assert.match(String(field(body, 'error.message')), /photo\.jpg/);
      assert.equal(field(await device.get('/display'), 'bundle'), 'card');
      await device.waitForColours(PINK, TEAL);
      await device.act('DELETE', '/content/hurt');
      assert.equal((await device.http('POST', '/content/hurt/check')).status, 404);
    });

    // Its effect at boot is tested by the scenario splash.
    await test('the boot bundle does not navigate', async () => {
      const patched = await device.act('PATCH', '/config', { display: { boot_bundle: 'menu' } });
      assert.deepEqual(field(patched, 'applied'), { 'display.boot_bundle': 'reboot_required' });
      assert.equal(field(await device.get('/display'), 'bundle'), 'card');
    });
  },
});
