import assert from 'node:assert/strict';
import { field } from '../../ci/client/events.ts';
import { colourCount } from '../../ci/lib/png.ts';
import { authority, certificate } from '../../lib/make-certificates.ts';
import { waitFor, within } from '../../lib/wait.ts';
import { getDeviceOverTls, putCertificate } from '../harness/certificates.ts';
import { SERIAL_NUMBER } from '../harness/device-setup.ts';
import { scenario } from '../harness/suite.ts';

const BOOT_TEST_MS = 15 * 60_000;
/** Time limit of a PATCH. The one that the reset interrupts gets no response; others take up to two seconds. */
const PATCH_MS = 30_000;
/** Time limit for a booted device to show its page and to confirm the boot to the boot loader. */
const CONFIRM_MS = 300_000;
const DISPLAY_MS = 300_000;
const DISK = '/dev/vda';
const PARTITION = '/dev/disk/by-partlabel/data';
/** The addresses at both ends of the cable's network link. */
const ADDRESSES = 'cat /sys/kernel/config/usb_gadget/vitrine/functions/ncm.usb0/*_addr';
const STORED = '/data/kiosk/storage/left';
/** Temporary files as left by interrupted writes, one of RAUC and one of the agent. */
const LEFTOVERS = '/data/rauc/central.raucs.ABC123 /data/..writable.0123456789ab.tmp';

export default scenario({
  title: 'acknowledged data survives a reboot, a reset during writes, and a shutdown',
  needs: 'machine',
  parts: ['power', 'slots'],
  machine: 'restored',
  run: async ({ device, test }) => {
    await test(
      'reboot through the API keeps configuration, certificates, machine-id and serial number; clear_data_on_boot',
      async () => {
        const ca = authority('Power Root');
        const own = certificate({ name: 'kept', issuer: ca });
        await putCertificate(device, 'ca', ca.cert);
        await putCertificate(device, 'server', own.cert + own.key);
        const id = await device.shell.ok('cat /etc/machine-id');
        assert.match(id, /^[0-9a-f]{32}$/);
        const addresses = await device.shell.ok(ADDRESSES);
        const boot = await device.bootId();
        const browser = { clear_data_on_boot: true };
        const display = { boot_bundle: 'no-such-bundle' };
        await device.act('PATCH', '/config', {
          device: { name: 'Kept' },
          audio: { volume: 37 },
          browser,
          display,
        });
        // Stands for data stored by the browser: clear_data_on_boot deletes it.
        await device.shell.ok(`install -D -o kiosk /dev/null ${STORED}`);
        const config = await device.get('/config');
        await device.restart(async () => {
          const { status, body } = await device.http('POST', '/device/reboot');
          assert.equal(status, 202);
          assert.deepEqual(body, {});
        });
        assert.notEqual(await device.bootId(), boot);
        assert.deepEqual(await device.get('/config'), config);
        assert.equal(await device.shell.ok('cat /etc/machine-id'), id);
        assert.equal(await device.shell.ok(ADDRESSES), addresses);
        assert.deepEqual(await getDeviceOverTls(device, ca.cert), { serial: SERIAL_NUMBER, name: 'kept' });
        // The file that the browser's TLS uses is created at every boot.
        const trusted = await device.shell.ok('cat /run/vitrine/ca-certificates.crt');
        assert.ok(trusted.includes(ca.cert.trim()), 'the authority is not among the trusted ones');
        const info = await device.get('/device');
        assert.equal(field(info, 'serial'), SERIAL_NUMBER);
        assert.equal(field(info, 'name'), 'Kept');
        assert.notEqual((await device.shell.run(`ls ${STORED}`)).code, 0);
        const boots = await device.shell.ok('journalctl --list-boots --no-pager');
        const [before] = boots.match(/[0-9a-f]{32}/g) ?? [];
        assert.equal(before, boot.replaceAll('-', ''), `the journal forgot the boot before: ${boots}`);
      },
      BOOT_TEST_MS,
    );

    await test('if the boot bundle is missing, the waiting page and the reason are shown', async () => {
      // A load that a busy computer delays beyond its limit is another error for a while.
      const display = await device.waitForDisplay(
        (state) =>
          field(state, 'mode') === 'waiting' &&
          field(state, 'loading') === false &&
          field(state, 'error.code') === 'bundle_missing',
        'the waiting page because of the missing bundle',
        DISPLAY_MS,
      );
      assert.match(String(field(display, 'error.message')), /no-such-bundle/);
      await waitFor(async () => colourCount(await device.screen()) > 20, {
        timeoutMs: DISPLAY_MS,
        what: 'the waiting page on the screen',
      });
      await device.act('PATCH', '/config', { browser: null, display: null });
      // The following tests may reboot before a boot is confirmed. They need all three attempts, because without any left
      // the other slot would be booted.
      await waitFor(async () => (await device.shell.run('fw_printenv BOOT_A_LEFT | grep -q =3')).code === 0, {
        timeoutMs: CONFIRM_MS,
        what: 'slot A to be marked good',
      });
    });

    await test(
      'after a reset during PATCHes the configuration is the last acknowledged or the next one, and leftovers are removed',
      async () => {
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

    await test('when the firewall fails at first, agent and kiosk wait for it and then start', async () => {
      const rules = '/usr/lib/vitrine/firewall.nft';
      const units = 'vitrine-firewall vitrine-agent vitrine-kiosk';
      const { shell } = device;
      await shell.ok(`systemctl stop ${units}; echo broken >/run/broken.nft; mount --bind /run/broken.nft ${rules}
        systemctl start --no-block vitrine-agent vitrine-kiosk`);
      await waitFor(() => shell.ok('systemctl show -p NRestarts --value vitrine-firewall').then(Number), {
        timeoutMs: 120_000,
        what: 'the firewall to be tried again',
      });
      const jobs = await shell.ok('systemctl list-jobs --no-legend --no-pager');
      for (const unit of ['vitrine-agent', 'vitrine-kiosk']) {
        assert.match(jobs, new RegExp(`${unit}.service +start +waiting`));
      }
      await shell.ok(`umount ${rules}`);
      await waitFor(async () => (await shell.run(`systemctl is-active ${units}`)).code === 0, {
        timeoutMs: 300_000,
        what: 'firewall, agent and kiosk to be up',
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

    await test('shutdown through the API powers the machine off', async () => {
      assert.equal((await device.http('POST', '/device/shutdown')).status, 202);
      const { code, signal } = await within(device.machine.ended, 240_000, 'the machine to end');
      assert.deepEqual({ code, signal }, { code: 0, signal: null });
    });
  },
});
