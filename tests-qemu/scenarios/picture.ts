import assert from 'node:assert/strict';
import { field } from '../../testing/field.ts';
import { agreement, type Colour } from '../../testing/png.ts';
import { waitFor } from '../../testing/wait.ts';
import type { Device } from '../harness/device.ts';
import { scenario } from '../harness/suite.ts';

const TEAL: Colour = [0, 128, 128];
const AMBER: Colour = [255, 176, 0];
const WAIT_MS = 120_000;

/** Waits until the page has this size in CSS pixels, with so many pixels of the screen for each, `1280,720,1`. */
const waitForPage = (device: Device, wanted: string) =>
  waitFor(
    async () => {
      assert.equal(await device.runScript('[innerWidth, innerHeight, devicePixelRatio].join()'), wanted);
      return true;
    },
    { timeoutMs: WAIT_MS, what: `the page to be ${wanted}` },
  );

/** Waits until the screenshot is what the screen shows. */
const waitForAgreement = (device: Device) =>
  waitFor(async () => agreement(await device.screen(), await device.screenshot()) > 0.98, {
    timeoutMs: WAIT_MS,
    what: 'the screenshot to be what the screen shows',
  });

export default scenario({
  title: 'rotation, scale and forced mode change the picture, on every kind of screen',
  needs: 'system',
  machine: 'shared',
  run: async ({ device, pages, test }) => {
    await device.act('POST', '/display/navigate', { url: pages.addColours(TEAL, AMBER) });
    await device.waitForColours(TEAL, AMBER);

    await test('the screen is complete in GET /display and GET /display/screens, and its id is valid', async () => {
      const display = await device.get('/display');
      assert.equal(field(display, 'screen_on'), true);
      assert.match(String(field(display, 'resolution')), /^1280x720@\d/);
      const [screen] = Object.values(Object(await device.get('/display/screens')));
      assert.equal(field(screen, 'primary'), true);
      assert.equal(field(screen, 'connected'), true);
      assert.equal(field(screen, 'resolution'), field(display, 'resolution'));
      const id = String(field(screen, 'id'));
      assert.equal((await device.http('GET', `/display?screen=${id}`)).status, 200);
    });

    await test('rotation is applied live, and reported', async () => {
      await device.act('PATCH', '/config', { display: { rotation: 90 } });
      await device.waitForDisplay((state) => field(state, 'rotation') === 90, 'the rotation');
      await waitForPage(device, '720,1280,1');
      await device.act('PATCH', '/config', { display: { rotation: 0 } });
      await waitForPage(device, '1280,720,1');
      await device.waitForColours(TEAL, AMBER);
    });

    await test('a scale shows the page larger', async () => {
      await device.act('PATCH', '/config', { display: { scale: 2 } });
      await waitForPage(device, '640,360,2');
      await waitForAgreement(device);
      await device.act('PATCH', '/config', { display: { scale: null } });
      await waitForPage(device, '1280,720,1');
    });

    await test('a forced mode is used when the agent starts again', async () => {
      await device.act('PATCH', '/config', { display: { forced_mode: '1000x600@60' } });
      await device.shell.ok('systemctl restart vitrine-agent');
      await device.waitUp();
      await waitForPage(device, '1000,600,1');
      await device.waitForColours(TEAL, AMBER);
      const { width, height } = await device.screen();
      assert.deepEqual([width, height], [1000, 600]);
      // The agent asks the compositor for the mode after it has set it.
      await device.waitForDisplay(
        (display) => /^1000x600@/.test(String(field(display, 'resolution'))),
        'the mode in GET /display',
      );
      await device.act('PATCH', '/config', { display: { forced_mode: '1280x720@60' } });
      await device.shell.ok('systemctl restart vitrine-agent');
      await device.waitUp();
      await waitForPage(device, '1280,720,1');
      await device.act('PATCH', '/config', { display: { forced_mode: null } });
    });

    await device.showWaiting();
  },
});
