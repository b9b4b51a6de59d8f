import assert from 'node:assert/strict';
import { field } from '../../testing/field.ts';
import { waitFor, within } from '../../testing/wait.ts';
import { SERIAL_NUMBER } from '../harness/device-setup.ts';
import { type ScenarioContext, scenario } from '../harness/suite.ts';

const BOOT_TEST_MS = 15 * 60_000;
/** Time limit for a booted device to confirm the boot to the boot loader. */
const CONFIRM_MS = 300_000;
const PARTITION = '/dev/disk/by-partlabel/data';

/** Boots whose data partition this version cannot use. */
async function testOtherData({ device, test }: ScenarioContext): Promise<void> {
  await test('the boot is confirmed to the boot loader', async () => {
    await device.act('PATCH', '/config', { device: { name: 'Kept' } });
    // The following tests may reboot before a boot is confirmed. They need all three attempts, because without any left
    // the other slot would be booted.
    await waitFor(async () => (await device.shell.run('fw_printenv BOOT_A_LEFT | grep -q =3')).code === 0, {
      timeoutMs: CONFIRM_MS,
      what: 'slot A to be marked good',
    });
  });

  // The next two tests share a boot to save time.
  await test(
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

  await test(
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
  title: 'a boot that ends in emergency mode, and one with a data partition of a newer version; power-off',
  needs: 'machine',
  parts: ['power', 'slots'],
  machine: 'restored',
  onlyNamed: true,
  run: async (context) => {
    const { device, test } = context;
    await testOtherData(context);

    await test('shutdown through the API powers the machine off', async () => {
      assert.equal((await device.http('POST', '/device/shutdown')).status, 202);
      const { code, signal } = await within(device.machine.ended, 240_000, 'the machine to end');
      assert.deepEqual({ code, signal }, { code: 0, signal: null });
    });
  },
});
