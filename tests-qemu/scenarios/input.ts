import assert from 'node:assert/strict';
import { dirname } from 'node:path';
import { field } from '../../testing/field.ts';
import { waitFor } from '../../testing/wait.ts';
import type { Device } from '../harness/device.ts';
import { scenario } from '../harness/suite.ts';
import { type Finger, TOUCHES_PAGE, TouchScreen } from '../harness/touch-screen.ts';
import { watchTouch } from '../harness/view-tests.ts';

const WAIT_MS = 60_000;
/** A new compositor and browser, on a busy computer. */
const BACK_MS = 180_000;
/** Time limit for the event of one touch, in ms. */
const TOUCH_MS = 3000;
const NAME = 'test touch screen';
/** The cursor has a plane of its own, which QEMU's pictures do not contain. */
const CURSOR = "sed -n '/^plane.*plane-1/,/^plane/s/^\\tfb=//p' /sys/kernel/debug/dri/0/state";
/** How libinput turns touches, by the rotation of the display; and how it does now. */
const MATRICES: Readonly<Record<number, string>> = { 90: '0 1 0 -1 0 1', 180: '-1 0 1 0 -1 1' };
const PRESENT_MATRIX = `for node in /dev/input/event*; do udevadm info --query=property $node; done |
  sed -n 's/^LIBINPUT_CALIBRATION_MATRIX=//p'`;
const DROP_IN = '/run/systemd/system/vitrine-touch.service.d';
/** The driver and the name of each mouse that QEMU emulates. */
const MICE = `for node in /sys/class/input/event*; do case $(cat $node/device/name) in *Tablet* | *Mouse*)
  parent=$(readlink -f $node/device/device); echo $(readlink -f $parent/driver) \${parent##*/} ;; esac; done`;

/** While this rule is there, libinput, and so the compositor, gets no device that udev adds. */
const RULES = '/run/udev/rules.d/10-test-input.rules';
const IGNORED = 'SUBSYSTEM=="input", ENV{LIBINPUT_IGNORE_DEVICE}="1"';
/** Adds all input devices again. */
const TRIGGER = 'udevadm trigger --action=add --subsystem-match=input --settle';
const KEYBOARDS = 'cat /sys/class/input/event*/device/name';
/** Keys that end, suspend or switch something elsewhere: of ACPI, the kernel, logind, the console and compositors. */
const ENDING_KEYS = [
  ...[['power'], ['sleep'], ['wake'], ['ctrl', 'alt', 'delete'], ['ctrl', 'alt', 'backspace']],
  ...[
    ['ctrl', 'alt', 'f2'],
    ['alt', 'f4'],
    ['alt', 'esc'],
    ['alt', 'sysrq', 'b'],
    ['alt', 'sysrq', 'o'],
  ],
  ...[['ctrl', 'w'], ['ctrl', 'q'], ['alt', 'left'], ['f11'], ['meta_l']],
];

const near = (one: unknown, other: unknown) => Math.abs(Number(one) - Number(other)) < 0.01;

/** The device of the test, when it is listed. */
async function listed(device: Device): Promise<unknown> {
  const devices = await device.get('/input/devices');
  assert.ok(Array.isArray(devices));
  return devices.find((one) => field(one, 'name') === NAME);
}

const finger = (id: number, x: number, y: number, isDown = true): Finger => ({ id, x, y, isDown });

export default scenario({
  title: 'touches reach hosts and pages at the same place; devices come and go; the mouse pointer is hidden',
  needs: 'machine',
  parts: ['input', 'graphics'],
  machine: 'shared',
  run: async ({ device, pages, test, longTest }) => {
    let touch = await TouchScreen.plug(device);
    const waitForDevice = (isThere: boolean) =>
      waitFor(async () => ((await listed(device)) !== undefined) === isThere, {
        timeoutMs: WAIT_MS,
        what: `the touch screen to be ${isThere ? 'listed' : 'gone'}`,
      });
    await device.act('POST', '/display/navigate', { url: pages.add(TOUCHES_PAGE) });
    await device.waitForDisplay((state) => field(state, 'loading') === false, 'the page');

    await test('the devices are listed with their kinds', async () => {
      await waitForDevice(true);
      const found = Object(await listed(device));
      assert.deepEqual(
        { ...found, id: '', node: '' },
        { id: '', name: NAME, kind: 'touch', vendor_id: 0x1209, product_id: 1, node: '' },
      );
      assert.equal(await device.shell.ok(`cat /sys/class/input/${found.id}/device/name`), NAME);
      const devices = await device.get('/input/devices');
      assert.ok(Array.isArray(devices) && devices.some((one) => field(one, 'kind') === 'keyboard'));
      assert.equal(field(await device.get('/device'), 'capabilities.touch_present'), true);
    });

    for (const rotation of [0, 90, 180, 270])
      await (rotation < 180 ? test : longTest)(
        `rotated by ${rotation} degrees, a host gets a touch where the page gets it`,
        async () => {
          await device.act('PATCH', '/config', { display: { rotation } });
          await device.waitForDisplay((state) => field(state, 'rotation') === rotation, 'the rotation');
          const socket = await device.events('input_raw');
          try {
            // The page has the new size when a touch arrives at the same place on both ways.
            await waitFor(
              async () => {
                await device.runScript('touches.length = 0');
                const mark = socket.events.mark;
                await touch.tap(0.2, 0.6);
                // The reader has started some time after the subscription.
                const { payload } = await socket.events.next(
                  'input_raw',
                  mark,
                  (event) => field(event, 'pressed') === true,
                  TOUCH_MS,
                );
                const seen = await device.runScript("touches.find(([type]) => type === 'touchstart')");
                return (
                  near(field(payload, 'x'), field(seen, '1')) && near(field(payload, 'y'), field(seen, '2'))
                );
              },
              { timeoutMs: WAIT_MS, what: 'the same place in the event and in the page' },
            );
            const [event] = socket.events.since(0, 'input_raw');
            const place = { 0: [0.2, 0.6], 90: [0.6, 0.8], 180: [0.8, 0.4], 270: [0.4, 0.2] }[rotation] ?? [];
            assert.ok(
              near(field(event?.payload, 'x'), place[0]) && near(field(event?.payload, 'y'), place[1]),
            );
          } finally {
            await socket.close();
          }
        },
      );

    await longTest('a rotation that comes while touches are turned is not missed', async () => {
      const turn = (rotation: number) => device.act('PATCH', '/config', { display: { rotation } });
      const waitForMatrix = (rotation: number) =>
        waitFor(async () => (await device.shell.ok(PRESENT_MATRIX)) === MATRICES[rotation], {
          timeoutMs: WAIT_MS,
          what: `touches to be turned by ${rotation} degrees`,
        });
      // The service goes on after its script until it may end.
      await device.shell.ok(`mkdir -p ${DROP_IN}
        echo '[Service]\nExecStartPost=sh -c "until [ -e /run/vitrine/may-end ]; do sleep 0.1; done"' >${DROP_IN}/hold.conf
        systemctl daemon-reload`);
      await turn(90);
      await waitFor(
        async () => (await device.shell.ok('systemctl show -P SubState vitrine-touch')) === 'start-post',
        { timeoutMs: WAIT_MS, what: 'the script to have ended' },
      );
      await waitForMatrix(90);
      await turn(180);
      await device.shell.ok(`touch /run/vitrine/may-end; rm -r ${DROP_IN}; systemctl daemon-reload`);
      await waitForMatrix(180);
      await device.shell.ok('rm /run/vitrine/may-end');
    });
    await device.act('PATCH', '/config', { display: { rotation: null } });

    await test('two fingers: one event for each in each frame, and releases when the device is unplugged', async () => {
      const socket = await device.events('input_raw');
      try {
        const release = (event: unknown) => field(event, 'pressed') === false;
        await waitFor(
          async () => {
            const before = socket.events.mark;
            await touch.tap(0.5, 0.5);
            return await socket.events.next('input_raw', before, release, TOUCH_MS);
          },
          { timeoutMs: WAIT_MS, what: 'the reader to have opened the device' },
        );
        const mark = socket.events.mark;
        const frames = Array.from({ length: 20 }, (_, n) => [
          finger(3, 0.1 + n / 40, 0.2),
          finger(7, 0.8, 0.9 - n / 40),
        ]);
        await touch.frames(...frames, [finger(3, 0.575, 0.2, false), finger(7, 0.8, 0.425)]);
        await socket.events.next('input_raw', mark, release);
        const payloads = socket.events.since(mark, 'input_raw').map(({ payload }) => payload);
        const bySlot = [0, 1].map((slot) => payloads.filter((payload) => field(payload, 'slot') === slot));
        // Frames that came too fast may be one.
        for (const events of bySlot)
          assert.ok(events.length >= 2 && events.length <= frames.length + 1, String(events.length));
        assert.equal(bySlot[0]?.filter((payload) => field(payload, 'pressed') === false).length, 1);
        const last = bySlot[1]?.at(-1);
        assert.ok(near(field(last, 'x'), 0.8) && near(field(last, 'y'), 0.425), JSON.stringify(last));
        const then = socket.events.mark;
        await touch.unplug();
        const { payload } = await socket.events.next('input_raw', then);
        assert.deepEqual([field(payload, 'slot'), field(payload, 'pressed')], [1, false]);
        await waitForDevice(false);
        touch = await TouchScreen.plug(device);
        await waitForDevice(true);
        const again = socket.events.mark;
        await waitFor(
          async () => {
            await touch.tap(0.5, 0.5);
            return socket.events.since(again, 'input_raw').length > 0;
          },
          { timeoutMs: WAIT_MS, what: 'a touch of the device that was plugged in again', intervalMs: 300 },
        );
      } finally {
        await socket.close();
      }
    });

    await longTest('a touch is drawn in the web app where it is made', () => watchTouch(device, touch));

    await test('nothing is read while nobody is subscribed', async () => {
      await waitFor(async () => (await device.shell.run('pgrep read-touch')).code !== 0, {
        timeoutMs: WAIT_MS,
        what: 'the readers to end',
      });
      assert.notEqual((await device.shell.run('pgrep -x udevadm')).code, 0);
    });

    await test('the mouse pointer is hidden by the configuration, and otherwise by the page', async () => {
      let at = 0;
      const waitForCursor = (isShown: boolean) =>
        waitFor(
          async () => {
            at = (at + 3000) % 30_000;
            const axis = (name: string) => ({ type: 'abs', data: { axis: name, value: at + 1000 } });
            await device.machine.qmp.execute('input-send-event', { events: [axis('x'), axis('y')] });
            return ((await device.shell.ok(CURSOR)) !== '0') === isShown;
          },
          { timeoutMs: WAIT_MS, what: `the pointer to be ${isShown ? 'shown' : 'hidden'}`, intervalMs: 500 },
        );
      const configure = (pointer: string | null) => device.act('PATCH', '/config', { browser: { pointer } });
      await waitForCursor(true);
      await configure('never');
      await waitForCursor(false);
      await configure('auto');
      await waitForCursor(true);
      await device.runScript("document.documentElement.style.cursor = 'none'");
      await waitForCursor(false);
      await configure('always');
      await waitForCursor(true);
      await configure(null);
      await device.runScript("document.documentElement.style.cursor = ''");
      await waitForCursor(true);
      const mice = (await device.shell.ok(MICE)).split('\n').map((line) => line.split(' '));
      assert.ok(mice.length > 0);
      const write =
        (file: string) =>
        ([driver, name]: string[]) =>
          `echo ${name} >${driver}/${file}`;
      await device.shell.ok(mice.map(write('unbind')).join('\n'));
      await waitFor(async () => (await device.shell.ok(CURSOR)) === '0', {
        timeoutMs: WAIT_MS,
        what: 'the pointer to be hidden while there is only touch',
      });
      // QEMU sends the buttons to the one that came last.
      await device.shell.ok(mice.toReversed().map(write('bind')).join('\n'));
      await waitForCursor(true);
    });

    await test('the page is displayed without any input device', async () => {
      const url = pages.add(TOUCHES_PAGE);
      await device.act('POST', '/display/navigate', { url });
      await device.waitForDisplay((state) => field(state, 'loading') === false, 'the page');
      const reload = 'udevadm control --reload';
      await device.shell.ok(
        `mkdir -p ${dirname(RULES)}; echo '${IGNORED}' >${RULES}; ${reload}; ${TRIGGER}; systemctl restart vitrine-kiosk`,
      );
      await waitFor(() => pages.loads(url) > 1, {
        timeoutMs: BACK_MS,
        what: 'the page without input devices',
      });
      assert.equal(await device.shell.ok('systemctl show -P NRestarts vitrine-kiosk'), '0');
      await device.waitForDisplay((state) => field(state, 'loading') === false, 'the page');
      // Devices that come later are used, as the next tests show.
      await device.shell.ok(`rm ${RULES}; ${reload}`);
    });

    await test('no key of a keyboard stops, suspends, switches or leaves the kiosk', async () => {
      const { qmp } = device.machine;
      const boot = await device.bootId();
      const before = await device.get('/display');
      await qmp.execute('device_add', { driver: 'qemu-xhci', id: 'usb' });
      await qmp.execute('device_add', { driver: 'usb-kbd', id: 'keyboard', bus: 'usb.0' });
      await waitFor(async () => (await device.shell.ok(KEYBOARDS)).includes('QEMU USB Keyboard'), {
        timeoutMs: WAIT_MS,
        what: 'the keyboard',
      });
      await device.runScript("window.keys = []; addEventListener('keydown', ({ code }) => keys.push(code))");
      const send = (...keys: string[]) =>
        qmp.execute('send-key', { keys: keys.map((data) => ({ type: 'qcode', data })) });
      for (const keys of ENDING_KEYS) await send(...keys);
      // The last key shows that the page has got all others.
      await waitFor(
        async () => {
          await send('k');
          return String(await device.runScript('keys')).includes('KeyK');
        },
        { timeoutMs: WAIT_MS, what: 'a key in the page', intervalMs: 500 },
      );
      const watched = await device.shell.ok(
        "journalctl -b -u systemd-logind -o cat | grep 'Watching system buttons'",
      );
      assert.match(watched, /^(Watching system buttons on .*\(Power Button\)\n?)+$/);
      assert.equal(await device.bootId(), boot);
      assert.equal(await device.shell.ok('systemctl list-jobs --no-legend --no-pager'), '');
      assert.equal(await device.shell.ok('cat /sys/class/tty/tty0/active'), 'tty1');
      assert.deepEqual(await device.get('/display'), before);
    });

    await test('a keyboard has the configured layout', async () => {
      const { qmp } = device.machine;
      const configure = (keyboard_layout: string) =>
        device.http('PATCH', '/config', { json: { input: { keyboard_layout } } });
      for (const layout of ['xx', 'de(nothing)', 'pc', 'de(nodeadkeys', '../de', 'us,de']) {
        assert.equal((await configure(layout)).status, 400, layout);
      }
      /** What the page gets for the key that is Y on a US keyboard. */
      const typed = async () => {
        await device.runScript(
          "window.typed ??= (addEventListener('keydown', (event) => typed.push(event.key)), [])",
        );
        await qmp.execute('send-key', { keys: [{ type: 'qcode', data: 'y' }] });
        return String(await device.runScript('typed.at(-1)'));
      };
      for (const [layout, key] of [
        ['de(nodeadkeys)', 'z'],
        ['us', 'y'],
      ] as const) {
        const { status, body } = await configure(layout);
        assert.deepEqual([status, field(body, 'applied')], [200, { 'input.keyboard_layout': 'live' }]);
        await waitFor(async () => (await typed()) === key, {
          timeoutMs: BACK_MS,
          what: `the layout ${layout}`,
          intervalMs: 500,
        });
      }
      // The keyboard of a remote host has a keymap of its own.
      await device.act('PATCH', '/config', { input: { remote: true } });
      await device.act('POST', '/input/inject', { events: [{ type: 'text', text: 'ü' }] });
      await waitFor(async () => (await typed()) === 'y', {
        timeoutMs: WAIT_MS,
        what: 'the layout of the real keyboard after text of a host',
        intervalMs: 500,
      });
      assert.ok(String(await device.runScript('typed')).includes('ü'));
      assert.equal((await configure('us')).status, 200);
      await device.act('PATCH', '/config', { input: null });
      await qmp.execute('device_del', { id: 'keyboard' });
    });

    await device.shell.ok(TRIGGER);
    await touch.unplug();
    await device.showWaiting();
  },
});
