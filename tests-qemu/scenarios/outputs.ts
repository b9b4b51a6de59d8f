import assert from 'node:assert/strict';
import { dirname } from 'node:path';
import { field } from '../../testing/field.ts';
import type { Colour } from '../../testing/png.ts';
import { agreement } from '../../testing/png.ts';
import { waitFor } from '../../testing/wait.ts';
import type { Device } from '../harness/device.ts';
import { scenario } from '../harness/suite.ts';
import { VncClient } from '../harness/vnc.ts';

const TEAL: Colour = [0, 128, 128];
const AMBER: Colour = [255, 176, 0];
const CONNECTOR = '/sys/class/drm/card0-Virtual-1';
/** Writing status in /sys sends no hotplug event. This rule turns a synthetic uevent into one. */
const RULE = 'SUBSYSTEM=="drm", ENV{SYNTH_ARG_HOTPLUG}=="1", ENV{HOTPLUG}="1"';
const RULES = '/run/udev/rules.d/10-test-hotplug.rules';
const EVENT =
  'echo "change 00000000-0000-0000-0000-000000000001 HOTPLUG=1" >/sys/class/drm/card0/uevent; udevadm settle';

/** The kernel's status of the connector becomes `off`, or what is detected. */
async function plug(device: Device, status: 'off' | 'detect'): Promise<void> {
  await device.shell.ok(`echo ${status} >${CONNECTOR}/status; ${EVENT}`);
}

/** Exchanges the monitor at the device's graphics card for one that prefers another size. */
async function exchangeMonitor(device: Device, width: number, height: number): Promise<void> {
  const client = await VncClient.connect(await device.host.vncAddress());
  client.resize(width, height);
  await client.close();
}

/** @param wanted width and height of the page in CSS pixels, and pixels for each */
const waitForScale = (device: Device, wanted: string) =>
  waitFor(
    async () => {
      assert.equal(await device.runScript('[innerWidth, innerHeight, devicePixelRatio].join()'), wanted);
      return true;
    },
    { timeoutMs: 60_000, what: `the page to be scaled to ${wanted}` },
  );

const waitForMode = (device: Device, size: string) =>
  device.waitForDisplay(
    (state) => String(field(state, 'resolution')).startsWith(`${size}@`),
    `the mode ${size}`,
  );

async function problems(device: Device): Promise<string> {
  return JSON.stringify(field(await device.get('/device/health'), 'problems'));
}

export default scenario({
  title: 'screens are unplugged, plugged in and exchanged; forced modes and scales are used',
  needs: 'machine',
  parts: ['graphics'],
  machine: 'restored',
  run: async ({ device, pages, test, longTest }) => {
    const url = pages.addColours(TEAL, AMBER);
    await device.shell.ok(`mkdir -p ${dirname(RULES)}; echo '${RULE}' >${RULES}; udevadm control --reload`);
    await device.act('POST', '/display/navigate', { url });
    await device.waitForColours(TEAL, AMBER);

    await test('an unplugged screen is reported; plugged in again, it shows the page rotated and scaled as before', async () => {
      await device.act('PATCH', '/config', { display: { rotation: 180, scale: 2 } });
      await device.waitForColours(AMBER, TEAL);
      const socket = await device.events('display_state');
      try {
        await plug(device, 'off');
        await socket.events.next('display_state', 0, (state) => field(state, 'screen_on') === false);
        assert.equal(field(await device.get('/display'), 'resolution'), null);
        assert.deepEqual(field(await device.get('/display/screens'), '0.connected'), false);
        assert.equal(await device.runScript('40 + 2'), 42);
        const mark = socket.events.mark;
        await plug(device, 'detect');
        await socket.events.next('display_state', mark, (state) => field(state, 'screen_on') === true);
        await device.waitForColours(AMBER, TEAL);
        await waitForScale(device, '640,360,2');
        assert.equal(pages.loads(url), 1);
      } finally {
        await socket.close();
        await device.act('PATCH', '/config', { display: null });
      }
      await device.waitForColours(TEAL, AMBER);
      await waitForScale(device, '1280,720,1');
    });

    await test('another monitor is used with its own mode', async () => {
      await plug(device, 'off');
      await device.waitForDisplay((state) => field(state, 'screen_on') === false, 'no screen');
      await exchangeMonitor(device, 1024, 768);
      await plug(device, 'detect');
      await waitForMode(device, '1024x768');
      await waitForScale(device, '1024,768,1');
      await device.waitForColours(TEAL, AMBER);
      const { width, height } = await device.screen();
      assert.deepEqual([width, height], [1024, 768]);
      await plug(device, 'off');
      await exchangeMonitor(device, 1280, 720);
      await plug(device, 'detect');
      await waitForMode(device, '1280x720');
    });

    await test('a device that started without a screen shows the page on the one that is plugged in later, with the forced mode', async () => {
      await plug(device, 'off');
      await device.waitForDisplay((state) => field(state, 'screen_on') === false, 'no screen');
      const { applied } = Object(
        await device.act('PATCH', '/config', { display: { forced_mode: '1000x600@60' } }),
      );
      assert.deepEqual(applied, { 'display.forced_mode': 'reboot_required' });
      await device.shell.ok('systemctl restart vitrine-kiosk vitrine-agent');
      await device.waitUp();
      await device.act('POST', '/display/navigate', { url });
      await device.waitForDisplay((state) => field(state, 'loading') === false, 'the page to be loaded');
      await plug(device, 'detect');
      await device.waitForDisplay((state) => field(state, 'screen_on') === true, 'the screen');
      await waitForMode(device, '1000x600');
      await device.waitForColours(TEAL, AMBER);
      const { width, height } = await device.screen();
      assert.deepEqual([width, height], [1000, 600]);
    });

    await test('a forced mode that the output does not take is left out at the next start, and reported', async () => {
      await device.act('PATCH', '/config', { display: { forced_mode: '16x16@60' } });
      await device.shell.ok('systemctl restart vitrine-agent');
      await device.waitUp();
      await waitForMode(device, '1280x720');
      await device.waitForColours(TEAL, AMBER);
      await waitFor(async () => /16x16@60/.test(await problems(device)), {
        timeoutMs: 60_000,
        what: 'the problem in health',
      });
      await device.act('PATCH', '/config', { display: { forced_mode: null } });
    });

    await longTest('a scale shows the page larger, sharply, and in the screenshot', async () => {
      await device.act('PATCH', '/config', { display: { scale: 2 } });
      await waitForScale(device, '640,360,2');
      await waitFor(async () => agreement(await device.screen(), await device.screenshot()) > 0.98, {
        timeoutMs: 60_000,
        what: 'the screenshot to be what the screen shows',
      });
      await device.act('PATCH', '/config', { display: { scale: null } });
    });
  },
});
