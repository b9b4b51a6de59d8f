/**
 * Bluetooth on a radio: BlueZ's btvirt emulates the controllers, and Bumble is the stack of the other devices (ci/radios/). Without
 * PyPI there is no Bumble: then only the gates are tested.
 */
import assert from 'node:assert/strict';
import { installBumble } from '../../ci/radios/bluetooth/peer-program.ts';
import type { BluetoothPeer } from '../../ci/radios/bluetooth-peer.ts';
import { BluetoothRadios, DEVICE_ADDRESS } from '../../ci/radios/bluetooth-radios.ts';
import { field } from '../../testing/field.ts';
import { waitFor } from '../../testing/wait.ts';
import type { Device } from '../harness/device.ts';
import { waitForNotice } from '../harness/notice-tests.ts';
import { checkGate } from '../harness/radio-gates.ts';
import { scenario } from '../harness/suite.ts';
import { pairByClicking } from '../harness/view-tests.ts';

const WAIT_MS = 90_000;
const LONG_MS = 15 * 60_000;
const CROWD = 2000;
/** The contract: the list has at most so many devices, and events come at most so often in a second. */
const MAX_LISTED = 200;
const MAX_EVENTS_PER_S = 4;
const TYPED = 'Hello 42';

async function configure(device: Device, bluetooth: Record<string, unknown> | null): Promise<void> {
  await device.act('PATCH', '/config', { bluetooth });
}

async function waitForAdapter(device: Device, name: string, value: unknown): Promise<void> {
  await waitFor(async () => field(await device.get('/bluetooth'), name) === value, {
    timeoutMs: WAIT_MS,
    what: `the adapter’s ${name} to be ${value}`,
    intervalMs: 500,
  });
}

/** The device's entry of the list; undefined if there is none. */
async function listed(device: Device, { address }: BluetoothPeer): Promise<unknown> {
  const devices = await device.get('/bluetooth/devices');
  assert.ok(Array.isArray(devices));
  return devices.find((each) => field(each, 'address') === address);
}

/** Discovers a device. */
async function find(device: Device, peer: BluetoothPeer): Promise<void> {
  await device.act('POST', '/bluetooth/scan', { active: true });
  await waitFor(() => listed(device, peer), { timeoutMs: WAIT_MS, what: `${peer.name} to be found` });
  await device.act('POST', '/bluetooth/scan', { active: false });
}

/** What bluetoothd itself says about its adapter. */
async function daemonSays(device: Device, property: string): Promise<string> {
  return await device.shell.ok(
    `busctl get-property org.bluez /org/bluez/hci0 org.bluez.Adapter1 ${property}`,
  );
}

/** Types until the page has got the text. */
async function waitForTyped(device: Device, keyboard: BluetoothPeer): Promise<void> {
  await device.runScript(
    "window.keys = []; addEventListener('keydown', ({ key }) => key.length === 1 && keys.push(key))",
  );
  // The compositor opens a new keyboard a little after the kernel has it.
  await waitFor(
    async () => {
      await keyboard.type(TYPED);
      return String(await device.runScript("keys.join('')")).includes(TYPED);
    },
    { timeoutMs: WAIT_MS, what: 'the keys in the page', intervalMs: 1000 },
  );
}

export default scenario({
  title: 'Bluetooth: gates, discovery, pairing, a keyboard, strangers, a crowd, and a daemon that dies',
  needs: 'machine',
  parts: ['radios'],
  machine: 'shared',
  run: async ({ device, test, longTest, skip }) => {
    await test('without a radio, every endpoint says so', () =>
      checkGate(device, 'bluetooth', 'bluetooth_unsupported'));

    const installed = await installBumble();
    if ('unavailable' in installed) {
      skip('everything with a radio', installed.unavailable);
      return;
    }
    const radios = await BluetoothRadios.plug(device.shell, installed.python);
    const socket = await device.events('bluetooth_changed');
    try {
      await test('with a radio that is not enabled, every endpoint says so, and no event comes', async () => {
        await checkGate(device, 'bluetooth', 'bluetooth_disabled');
        assert.equal(field(await device.get('/device'), 'capabilities.bluetooth'), true);
        assert.deepEqual(socket.events.since(0, 'bluetooth_changed'), []);
        assert.notEqual((await device.shell.run('systemctl is-active bluetooth')).code, 0);
      });

      await test('enabled, it is on at once with the configured name, which is live', async () => {
        await configure(device, { enabled: true });
        await waitFor(async () => (await device.http('GET', '/bluetooth')).status === 200, {
          timeoutMs: WAIT_MS,
          what: 'the adapter',
          intervalMs: 500,
        });
        await waitForAdapter(device, 'powered', true);
        // The first start of the daemon may take longer than a change of the configuration waits.
        const { body } = await device.http('PATCH', '/config', {
          json: { bluetooth: { enabled: true, name: 'Lobby display', discoverable: false } },
        });
        const leaves = ['enabled', 'name', 'discoverable'].map((leaf) => [`bluetooth.${leaf}`, 'live']);
        assert.deepEqual(field(body, 'applied'), Object.fromEntries(leaves));
        assert.equal(await daemonSays(device, 'Alias'), 's "Lobby display"');
        assert.equal(await daemonSays(device, 'Discoverable'), 'b false');
        await checkGate(device, 'bluetooth', undefined);
        assert.ok(socket.events.since(0, 'bluetooth_changed').length > 0);
      });

      const phone = await radios.add('Test phone', 'phone');
      await test('a phone is found, paired and removed', async () => {
        await find(device, phone);
        const paired = await device.act('POST', '/bluetooth/pair', { address: phone.address });
        assert.equal(field(paired, 'paired'), true);
        assert.equal(field(paired, 'name'), phone.name);
        const rest = await device.act('POST', '/bluetooth/remove', { address: phone.address });
        assert.ok(Array.isArray(rest) && !rest.some((each) => field(each, 'paired')));
        for (const path of ['/bluetooth/pair', '/bluetooth/remove']) {
          const { status, body } = await device.http('POST', path, {
            json: { address: '00:00:00:00:00:01' },
          });
          assert.deepEqual([status, field(body, 'error.code')], [404, 'not_found']);
        }
      });

      await longTest(
        'a phone is found, paired and forgotten in the web app',
        () => pairByClicking(device, phone),
        LONG_MS,
      );

      await test('a stranger is refused, except while the adapter is discoverable', async () => {
        const stranger = await radios.add('Stranger', 'stranger');
        await assert.rejects(stranger.pair(DEVICE_ADDRESS));
        await configure(device, { discoverable: true });
        await waitForAdapter(device, 'discoverable', true);
        assert.equal(await daemonSays(device, 'Discoverable'), 'b true');
        // It may pair, and then the device ends the connection: nobody has asked it to come.
        await stranger.pair(DEVICE_ADDRESS).catch((error: unknown) => device.say(String(error)));
        const entry = await waitFor(
          async () => {
            const found = await listed(device, stranger);
            return field(found, 'paired') === true && field(found, 'connected') === false && found;
          },
          { timeoutMs: WAIT_MS, what: 'the stranger to be paired and disconnected' },
        );
        assert.equal(field(entry, 'trusted'), false);
        await configure(device, { discoverable: false });
        await waitForAdapter(device, 'discoverable', false);
        await device.act('POST', '/bluetooth/remove', { address: stranger.address });
        await assert.rejects(stranger.pair(DEVICE_ADDRESS));
        assert.equal(field(await listed(device, stranger), 'paired') ?? false, false);
        await radios.remove(stranger);
      });

      await test('powered off, operations are 409', async () => {
        await device.act('POST', '/bluetooth/power', { powered: false });
        assert.equal(await daemonSays(device, 'Powered'), 'b false');
        for (const [path, json] of [
          ['/bluetooth/scan', { active: true }],
          ['/bluetooth/pair', { address: phone.address }],
          ['/bluetooth/remove', { address: phone.address }],
        ] as const) {
          const { status, body } = await device.http('POST', path, { json });
          assert.deepEqual([status, field(body, 'error.code')], [409, 'conflict'], path);
        }
        await device.act('POST', '/bluetooth/power', { powered: true });
        await waitForAdapter(device, 'powered', true);
      });

      await longTest(
        `${CROWD} advertisers fill neither the list nor the events`,
        async () => {
          const crowd = await radios.add('Crowd', 'crowd');
          await device.act('POST', '/bluetooth/scan', { active: true });
          const { mark } = socket.events;
          const started = performance.now();
          // Discovery takes turns with inquiry, in which nobody hears the crowd.
          const devices = await waitFor(
            async () => {
              await crowd.crowd(CROWD);
              const found = await device.get('/bluetooth/devices');
              assert.ok(
                Array.isArray(found) && found.length <= MAX_LISTED,
                JSON.stringify(found).slice(0, 500),
              );
              return found.length > MAX_LISTED / 2 && found;
            },
            { timeoutMs: WAIT_MS, what: 'the list to be filled' },
          );
          const seconds = (performance.now() - started) / 1000;
          const events = socket.events.since(mark, 'bluetooth_changed').length;
          device.say(`${devices.length} devices and ${events} events in ${seconds.toFixed(1)} s`);
          assert.ok(events <= (seconds + 1) * MAX_EVENTS_PER_S, `${events} events in ${seconds} s`);
          await radios.remove(crowd);
          // An emulated processor has reports of the crowd for minutes, and answers late meanwhile.
          const isStopped = async () =>
            (await device.http('POST', '/bluetooth/scan', { json: { active: false } })).status === 200;
          await waitFor(isStopped, {
            timeoutMs: LONG_MS / 3,
            what: 'the discovery to end',
            intervalMs: 1000,
          });
          const isGone = async () => {
            const { status, body } = await device.http('GET', '/bluetooth/devices');
            return status === 200 && Array.isArray(body) && body.length < MAX_LISTED / 10;
          };
          await waitFor(isGone, {
            timeoutMs: LONG_MS / 3,
            what: 'the crowd to be forgotten',
            intervalMs: 1000,
          });
        },
        LONG_MS,
      );

      await longTest(
        'a daemon that is killed and an adapter that is unplugged come back as configured',
        async () => {
          const pid = () => device.shell.ok('systemctl show -P MainPID bluetooth');
          const before = await pid();
          await device.shell.ok('systemctl kill -s KILL bluetooth');
          await waitFor(async () => !['0', before].includes(await pid()), {
            timeoutMs: WAIT_MS,
            what: 'another daemon',
          });
          await waitForAdapter(device, 'powered', true);
          assert.equal(field(await device.get('/bluetooth'), 'name'), 'Lobby display');
          await radios.unload();
          await waitFor(
            async () =>
              field((await device.http('GET', '/bluetooth')).body, 'error.code') === 'bluetooth_unsupported',
            { timeoutMs: WAIT_MS, what: 'the adapter to be gone' },
          );
          await radios.load();
          await waitFor(async () => (await device.http('GET', '/bluetooth')).status === 200, {
            timeoutMs: WAIT_MS,
            what: 'the adapter to be back',
          });
          await waitForAdapter(device, 'powered', true);
          assert.equal(await daemonSays(device, 'Alias'), 's "Lobby display"');
        },
        LONG_MS,
      );

      await longTest(
        'a keyboard is paired by the passkey that the device shows, types into the page also after a restart, and cannot switch it off',
        async () => {
          const keyboard = await radios.add('Test keyboard', 'keyboard');
          await find(device, keyboard);
          const { mark } = keyboard;
          const pairing = device.act('POST', '/bluetooth/pair', { address: keyboard.address });
          pairing.catch(() => undefined);
          await keyboard.event('passkey_wanted', mark);
          const passkey = await waitFor(
            async () => field(await device.get('/bluetooth'), 'pairing.passkey') ?? undefined,
            { timeoutMs: WAIT_MS, what: 'the passkey' },
          );
          await waitForNotice(device, true);
          await keyboard.passkey(Number(passkey));
          assert.equal(field(await pairing, 'paired'), true);
          await waitForNotice(device, false);
          await waitFor(
            async () => JSON.stringify(await device.get('/input/devices')).includes('Test keyboard'),
            { timeoutMs: WAIT_MS, what: 'the keyboard among the input devices' },
          );
          const boot = await device.bootId();
          await keyboard.pressPowerKeys();
          await waitForTyped(device, keyboard);
          assert.equal(await device.bootId(), boot);
          assert.equal(await device.shell.ok('systemctl list-jobs --no-legend --no-pager'), '');
          await radios.remove(keyboard);
          await device.restart(() => device.act('POST', '/device/reboot'));
          await radios.load();
          await waitForAdapter(device, 'powered', true);
          const again = await radios.add('Test keyboard', 'keyboard');
          assert.equal(again.address, keyboard.address);
          await waitForTyped(device, again);
          await device.act('POST', '/bluetooth/remove', { address: again.address });
          await radios.remove(again);
        },
        LONG_MS,
      );

      await test('disabled again, the daemon is gone', async () => {
        await configure(device, null);
        await waitFor(async () => (await device.shell.run('systemctl is-active bluetooth')).code !== 0, {
          timeoutMs: WAIT_MS,
          what: 'the daemon to end',
        });
        await checkGate(device, 'bluetooth', 'bluetooth_disabled');
      });
    } finally {
      await socket.close();
      await configure(device, null);
      await radios.unplug();
      if (radios.errors) device.say(radios.errors);
    }
  },
});
