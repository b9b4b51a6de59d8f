import assert from 'node:assert/strict';
import { waitFor } from '../../ci/lib/wait.ts';
import type { Device } from '../harness/device.ts';
import { field } from '../harness/events.ts';
import { scenario } from '../harness/suite.ts';

/** One test restarts the machine four times. */
const BOOT_TEST_MS = 25 * 60_000;

/** A page that reports its time zone to the page server whenever it is loaded. */
const ZONE_PAGE = `<!doctype html><title>time zone</title><script>
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const start = new Date(0);
  fetch('/zone?' + timeZone + ',' + start.getHours() + ':' + start.getMinutes());
</script>`;
/** A time zone whose local time at the epoch is unique. */
const ZONE = { name: 'Pacific/Chatham', shell: '12:45', page: '/zone?Pacific/Chatham,12:45' };
const SERVERS =
  'org.freedesktop.timesync1 /org/freedesktop/timesync1 org.freedesktop.timesync1.Manager RuntimeNTPServers';

/** The problems in health that concern slots or booting. */
async function slotProblems(device: Device): Promise<string[]> {
  const problems = field(await device.get('/device/health'), 'problems');
  assert.ok(Array.isArray(problems));
  return problems.map(String).filter((problem) => /\bslot\b|\bboot\b/i.test(problem));
}

/** U-Boot's variables as read by the running system. */
async function bootVariables(device: Device): Promise<Record<string, string>> {
  const output = await device.shell.ok('fw_printenv');
  return Object.fromEntries(
    output
      .split('\n')
      .map((line) => line.split('='))
      .map(([name = '', value = '']) => [name, value]),
  );
}

/** Waits until the running slot is marked good, which restores all its attempts. */
async function waitMarkedGood(device: Device, slot: 'A' | 'B'): Promise<void> {
  let last = {};
  await waitFor(
    async () => {
      const variables = await bootVariables(device);
      last = variables;
      return variables[`BOOT_${slot}_LEFT`] === '3';
    },
    { timeoutMs: 300_000, what: `slot ${slot} to be marked good`, intervalMs: 500 },
  ).catch((error: unknown) => {
    throw new Error(`${String(error)}; the variables are ${JSON.stringify(last)}`);
  });
}

/** Runs a script with the other slot's file system mounted writable, in its root folder. */
async function inSlot(device: Device, label: string, script: string): Promise<void> {
  await device.shell.ok(`
    mkdir -p /run/other-slot
    mount -t ext4 -o rw /dev/disk/by-partlabel/${label} /run/other-slot
    status=0; (cd /run/other-slot && ${script}) || status=$?
    umount /run/other-slot
    exit $status`);
}

export default scenario({
  title: 'two slots through the real boot loader: mark good, fall back after three failed boots, switch',
  machine: 'restored',
  run: async ({ device, pages, test }) => {
    const reboot = (boots = 1): Promise<void> =>
      device.restart(() => device.act('POST', '/device/reboot'), boots);

    const zoneSeen = (path: string, times: number): Promise<unknown> =>
      waitFor(() => pages.requests.filter((one) => one === path).length >= times, {
        timeoutMs: 300_000,
        what: `the page to see the time zone, ${path}`,
      });

    await test('slot A is marked good, and health reports no problem', async () => {
      await waitMarkedGood(device, 'A');
      assert.deepEqual(await slotProblems(device), []);
    });

    await test('device.timezone is applied live to programs and to the page, which stays displayed', async () => {
      const url = pages.add(ZONE_PAGE);
      await device.act('POST', '/display/navigate', { url });
      await zoneSeen('/zone?UTC,0:0', 1);
      const answer = await device.act('PATCH', '/config', {
        device: { timezone: ZONE.name, ntp_servers: ['192.0.2.9'] },
      });
      const live = { 'device.timezone': 'live', 'device.ntp_servers': 'live' };
      assert.deepEqual(field(answer, 'applied'), live);
      await device.act('PATCH', '/config', { display: { resume_on_boot: true } });
      assert.equal(await device.shell.ok('date -d @0 +%H:%M'), ZONE.shell);
      await zoneSeen(ZONE.page, 1);
      const display = await device.get('/display');
      assert.deepEqual([field(display, 'mode'), field(display, 'url')], ['url', url]);
    });

    await test(
      'after three panics of slot B the device boots slot A again',
      async () => {
        // Without a valid initramfs the kernel panics and reboots after five seconds (panic=5).
        await inSlot(
          device,
          'rootfs-b',
          'mv boot/initrd.img boot/initrd.good && head -c 64 /dev/zero >boot/initrd.img',
        );
        assert.equal((await bootVariables(device)).BOOT_B_LEFT, '3');
        await device.shell.ok('fw_setenv BOOT_ORDER "B A"');
        // The reboot and three panics.
        await reboot(4);
        assert.equal(field(await device.get('/device'), 'slot'), 'a');
        const variables = await bootVariables(device);
        assert.equal(variables.BOOT_B_LEFT, '0');
        await waitMarkedGood(device, 'A');
        const [problem = '', ...more] = await slotProblems(device);
        assert.match(problem, /^Slot b does not start .* runs from slot a/);
        assert.deepEqual(more, []);
      },
      BOOT_TEST_MS,
    );

    await test('time zone and time servers are applied from the start of a boot', async () => {
      assert.equal(await device.shell.ok('date -d @0 +%H:%M'), ZONE.shell);
      await zoneSeen(ZONE.page, 2);
      await waitFor(
        async () => (await device.shell.ok(`busctl get-property ${SERVERS}`)) === 'as 1 "192.0.2.9"',
        { timeoutMs: 60_000, what: 'the time service to have its servers' },
      );
      assert.ok(!pages.requests.slice(pages.requests.indexOf(ZONE.page)).includes('/zone?UTC,0:0'));
      await device.act('PATCH', '/config', { display: { resume_on_boot: null } });
    });

    await test(
      'after a repair of slot B, with new attempts and first in BOOT_ORDER, B boots and is marked good',
      async () => {
        await inSlot(device, 'rootfs-b', 'mv boot/initrd.good boot/initrd.img');
        await device.shell.ok('fw_setenv BOOT_B_LEFT 3 && fw_setenv BOOT_ORDER "B A"');
        await reboot();
        assert.equal(field(await device.get('/device'), 'slot'), 'b');
        assert.match(await device.shell.ok('cat /proc/cmdline'), /\brauc\.slot=B\b/);
        const source = await device.shell.ok('readlink -f "$(findmnt -no SOURCE /)"');
        assert.equal(source, await device.shell.ok('readlink -f /dev/disk/by-partlabel/rootfs-b'));
        await waitMarkedGood(device, 'B');
        assert.equal((await bootVariables(device)).BOOT_ORDER, 'B A');
        assert.deepEqual(await slotProblems(device), []);
      },
      BOOT_TEST_MS,
    );
  },
});
