import assert from 'node:assert/strict';
import { field } from '../../testing/field.ts';
import { solidPng } from '../../testing/make-png.ts';
import { waitFor } from '../../testing/wait.ts';
import { BOOT, recognise, type ScreenContent, SHUTDOWN } from '../harness/screen-contents.ts';
import { scenario } from '../harness/suite.ts';

export default scenario({
  title: 'splash images are shown on the waiting page at once; deletion restores the built-in ones',
  needs: 'system',
  machine: 'shared',
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
        await serial.close();
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
