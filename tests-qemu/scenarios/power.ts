import assert from 'node:assert/strict';
import { field } from '../../ci/client/events.ts';
import { waitFor, within } from '../../lib/wait.ts';
import { SERIAL_NUMBER } from '../harness/device-setup.ts';
import { type ScenarioContext, scenario } from '../harness/suite.ts';

const BOOT_TEST_MS = 15 * 60_000;
/** Time limit of a PATCH. The one that the reset interrupts gets no response; others take up to two seconds. */
const PATCH_MS = 30_000;
/** Time limit for a booted device to confirm the boot to the boot loader. */
const CONFIRM_MS = 300_000;
const _DISPLAY_MS = 300_000;
const DISK = '/dev/vda';
const PARTITION = '/dev/disk/by-partlabel/data';
/** The addresses at both ends of the cable's network link. */
const ADDRESSES = 'cat /sys/kernel/config/usb_gadget/vitrine/functions/ncm.usb0/*_addr';
const _STORED = '/data/kiosk/storage/left';
/** Temporary files as left by interrupted writes, one of RAUC and one of the agent. */
const LEFTOVERS = '/data/rauc/central.raucs.ABC123 /data/..writable.0123456789ab.tmp';

/** Boots whose data partition this version cannot use. */
async function testOtherData({ device, longTest }: ScenarioContext): Promise<void> {
  await longTest('the boot is confirmed to the boot loader', async () => {
    // The following tests may reboot before a boot is confirmed. They need all three attempts, because without any left
    // the other slot would be booted.
    await waitFor(async () => (await device.shell.run('fw_printenv BOOT_A_LEFT | grep -q =3')).code === 0, {
      timeoutMs: CONFIRM_MS,
      what: 'slot A to be marked good',
    });
  });

  // The next two tests share a boot to save time.
  await longTest(
    'a boot that ends in emergency mode leads to a reboot',
    async () => {
      // A feature as a newer mke2fs might set it. The kernel, which has the partition mounted, does not notice.
      const change = 'set_super_value feature_incompat 0x400002c2';
      await device.shell.ok(`sync; debugfs -w -R '${change}' ${PARTITION}; sync`);
      const boot = await device.bootId();
      await device.restart(async () => {
        // The shell may be stopped before it can answer.
        await device.shell.run('systemctl --no-block emergency').catch(() => undefined);
      });
      assert.notEqual(await device.bootId(), boot);
    },
    BOOT_TEST_MS,
  );

  await longTest(
    'a data partition of a newer version is left untouched and the device boots without it; a factory reset recreates it',
    async () => {
      assert.equal(
        await device.shell.ok('cat /run/vitrine/data-state; findmnt -no FSTYPE /data'),
        'unusable\ntmpfs',
      );
      const problems = field(await device.get('/device/health'), 'problems');
      assert.match(String(problems), /left as it is.*factory settings/);
      assert.notEqual(field(await device.get('/config'), 'device.name'), 'Kept');
      const look = `printf 'open -f ${PARTITION}\\ncat /config.json\\n' | debugfs 2>&1`;
      assert.match(await device.shell.ok(look), /"Kept"/);
      await device.restart(async () => {
        const json = { confirm: SERIAL_NUMBER };
        assert.equal((await device.http('POST', '/device/factory-reset', { json })).status, 202);
      });
      assert.equal(
        await device.shell.ok('cat /run/vitrine/data-state; findmnt -no FSTYPE /data'),
        'created\next4',
      );
      assert.notEqual(field(await device.get('/config'), 'device.name'), 'Kept');
      assert.deepEqual(field(await device.get('/device/health'), 'problems'), []);
    },
    BOOT_TEST_MS,
  );
}

export default scenario({
  title: 'acknowledged data survives a reset during writes; a damaged partition table; power-off',
  needs: 'machine',
  parts: ['power', 'slots'],
  machine: 'restored',
  run: async (context) => {
    const { device, test } = context;
    await test(
      'after a reset during PATCHes the configuration is the last acknowledged or the next one, and leftovers are removed',
      async () => {
        await device.act('PATCH', '/config', { device: { name: 'Kept' } });
        const addresses = await device.shell.ok(ADDRESSES);
        await device.shell.ok(`touch ${LEFTOVERS}; sync`);
        // For the test after the next one.
        await device.shell.ok(`dd if=/dev/zero of=${DISK} bs=512 seek=1 count=1 conv=notrunc,fsync`);
        let acknowledged = -1;
        let sent = -1;
        const stopped = new AbortController();
        const loop = async (): Promise<void> => {
          for (let volume = 0; !stopped.signal.aborted; volume = (volume + 1) % 101) {
            sent = volume;
            const json = { audio: { volume } };
            const { status } = await device.http('PATCH', '/config', { json, timeoutMs: PATCH_MS });
            assert.equal(status, 200);
            acknowledged = volume;
            if (volume === 20) enough.resolve();
          }
        };
        const enough = Promise.withResolvers<void>();
        const looping = loop().catch(() => undefined);
        await within(enough.promise, 120_000, 'twenty PATCHes');
        await device.restart(() => device.machine.qmp.execute('system_reset'));
        stopped.abort();
        await looping;
        // The loop may also have reached the rebooted device, so both values are read after its end.
        const volume = field(await device.get('/config'), 'audio.volume');
        assert.ok(
          volume === acknowledged || volume === sent,
          `${volume}; acknowledged ${acknowledged}, sent ${sent}`,
        );
        assert.equal(field(await device.get('/config'), 'device.name'), 'Kept');
        assert.equal(await device.shell.ok(ADDRESSES), addresses);
        const { output } = await device.shell.run(`ls ${LEFTOVERS} 2>/dev/null`);
        assert.equal(output.trim(), '');
        const files = await device.shell.ok('ls /data');
        assert.doesNotMatch(files, /\.(?:tmp|bad|damaged)/i, 'something was set aside or left over');
      },
      BOOT_TEST_MS,
    );

    await test('the data partition was checked at this boot', async () => {
      // e2fsck's own words, kept by the initramfs: "data: recovering journal", "data: clean, …".
      assert.match(await device.shell.ok('cat /run/vitrine/data.log'), /clean|recovering journal/);
      const state = await device.shell.ok('cat /run/vitrine/data-state');
      assert.ok(!['repaired', 'unchecked', 'replaced', 'missing'].includes(state), state);
      assert.equal(await device.shell.ok('systemctl list-units --failed --no-legend --plain'), '');
    });

    await test('a boot with a damaged partition table used the backup of the table and repaired it', async () => {
      assert.match(await device.shell.ok('journalctl -kb'), /Primary GPT is invalid, using alternate GPT/);
      assert.match(
        await device.shell.ok(`dd status=none if=${DISK} bs=512 skip=1 count=1 | head -c 8`),
        /^EFI PART/,
      );
      assert.equal(await device.shell.ok(`sfdisk --verify ${DISK} 2>&1 | grep -ci corrupt; true`), '0');
    });

    await testOtherData(context);

    await test('shutdown through the API powers the machine off', async () => {
      assert.equal((await device.http('POST', '/device/shutdown')).status, 202);
      const { code, signal } = await within(device.machine.ended, 240_000, 'the machine to end');
      assert.deepEqual({ code, signal }, { code: 0, signal: null });
    });
  },
});
