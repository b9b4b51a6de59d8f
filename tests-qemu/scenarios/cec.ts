import assert from 'node:assert/strict';
import { errorMessage } from '../../agent/src/base/system-error.ts';
import { field } from '../../testing/field.ts';
import { waitFor } from '../../testing/wait.ts';
import type { Device } from '../harness/device.ts';
import { scenario } from '../harness/suite.ts';
import { switchScreenByClicking } from '../harness/view-tests.ts';

const SWITCH_MS = 90_000;
/** A television: the kernel's vivid with an HDMI input that is connected to an HDMI output, both with CEC. */
const PLUG_TELEVISION = `set -e
modprobe vivid n_devs=1 node_types=0x101 num_inputs=1 input_types=3 num_outputs=1 output_types=1
udevadm settle
control=$(v4l2-ctl -d /dev/video0 --list-ctrls | grep -o 'hdmi[a-z0-9_]*connected[a-z0-9_]*')
v4l2-ctl -d /dev/video0 --set-edid type=hdmi
v4l2-ctl -d /dev/video0 --set-ctrl "$control=2"
cec-ctl -d /dev/cec0 --tv --osd-name Television >/dev/null`;

/** Waits until the emulated cable has given the device's adapter its address; says what the adapters report if it has not. */
async function waitForAddress(device: Device): Promise<void> {
  let reported = '';
  await waitFor(
    async () => {
      reported = (await device.shell.run('for adapter in /dev/cec*; do cec-ctl -d $adapter; done')).output;
      return /Physical Address +: 1\.1\.0\.0/.test(reported);
    },
    { timeoutMs: SWITCH_MS, what: 'the adapter to be connected', intervalMs: 500 },
  ).catch((error: unknown) => assert.fail(`${errorMessage(error)}: ${reported}`));
}

/** Starts cec-follower, which emulates the television. Its log is in the journal, in the unit `television`. */
async function followCommands(device: Device, ...options: string[]): Promise<void> {
  await device.shell.run('systemctl stop television');
  await device.shell.ok(
    `systemd-run --quiet --unit television --property StandardOutput=journal stdbuf -oL cec-follower -d /dev/cec0 -v ${options.join(' ')}`,
  );
}

async function televisionLog(device: Device): Promise<string> {
  return await device.shell.ok('journalctl -b -u television -o cat --no-pager');
}

async function switchScreen(device: Device, on: boolean): Promise<{ status: number; code: unknown }> {
  const { status, body } = await device.http('POST', '/display/screen', { json: { on } });
  return { status, code: field(body, 'error.code') };
}

const waitForScreen = (device: Device, on: boolean) =>
  device.waitForDisplay((state) => field(state, 'screen_on') === on, `screen_on to be ${on}`, SWITCH_MS);

export default scenario({
  title: 'the screen is switched over HDMI-CEC, by hosts and by a schedule, and says whether it is on',
  needs: 'machine',
  parts: ['cec'],
  machine: 'shared',
  run: async ({ device, pages, test, longTest }) => {
    await test('503 without HDMI-CEC', async () => {
      assert.deepEqual(await switchScreen(device, false), { status: 503, code: 'unavailable' });
      assert.equal(field(await device.get('/display'), 'screen_on'), true);
    });

    await test('a television is switched off and on, which it reports late; the page goes on', async () => {
      await device.shell.ok(PLUG_TELEVISION);
      await waitForAddress(device);
      await followCommands(device);
      const url = pages.addColours([0, 128, 128], [255, 176, 0]);
      await device.act('POST', '/display/navigate', { url });
      await device.waitForColours([0, 128, 128], [255, 176, 0]);
      const socket = await device.events('display_state');
      try {
        assert.equal((await switchScreen(device, false)).status, 200);
        await socket.events.next(
          'display_state',
          0,
          (state) => field(state, 'screen_on') === false,
          SWITCH_MS,
        );
        await waitForScreen(device, false);
        assert.match(await televisionLog(device), /STANDBY/);
        assert.equal(await device.runScript('document.hidden'), false);
        const mark = socket.events.mark;
        assert.equal((await switchScreen(device, true)).status, 200);
        await socket.events.next(
          'display_state',
          mark,
          (state) => field(state, 'screen_on') === true,
          SWITCH_MS,
        );
        const log = await televisionLog(device);
        assert.match(log, /IMAGE_VIEW_ON/);
        assert.match(log, /ACTIVE_SOURCE/);
        assert.equal(pages.loads(url), 1);
      } finally {
        await socket.close();
      }
    });

    await longTest('the television is switched off and on in the web app', () =>
      switchScreenByClicking(device),
    );

    await test('a television that ignores the command', async () => {
      await followCommands(device, '--ignore 4,0x36');
      assert.equal((await switchScreen(device, false)).status, 200);
      await waitFor(
        async () =>
          JSON.stringify(field(await device.get('/device/health'), 'problems')).includes('switch off'),
        { timeoutMs: SWITCH_MS, what: 'the problem in health', intervalMs: 1000 },
      );
      assert.equal(field(await device.get('/display'), 'screen_on'), true);
    });

    await test('the schedule switches the screen, and again when it changes', async () => {
      await followCommands(device);
      const hour = Number(await device.shell.ok('date -u +%H'));
      const clock = (hours: number) => `${String((hour + hours) % 24).padStart(2, '0')}:00`;
      const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
      const { applied } = Object(
        await device.act('PATCH', '/config', {
          display: { power_schedule: [{ days, on: clock(6), off: clock(12) }] },
        }),
      );
      assert.deepEqual(applied, { 'display.power_schedule': 'live' });
      await waitForScreen(device, false);
      assert.equal((await switchScreen(device, true)).status, 200);
      await waitForScreen(device, true);
      await device.act('PATCH', '/config', {
        display: { power_schedule: [{ days, on: clock(18), off: clock(12) }] },
      });
      await device.act('PATCH', '/config', {
        display: { power_schedule: [{ days, on: clock(6), off: clock(12) }] },
      });
      await waitForScreen(device, false);
    });

    await test('without the television, 503 again', async () => {
      await device.act('PATCH', '/config', { display: { power_schedule: null } });
      assert.equal((await switchScreen(device, true)).status, 200);
      await waitForScreen(device, true);
      await device.shell.ok('systemctl stop television; modprobe -r vivid');
      assert.deepEqual(await switchScreen(device, false), { status: 503, code: 'unavailable' });
      await waitForScreen(device, true);
      await device.showWaiting();
    });
  },
});
