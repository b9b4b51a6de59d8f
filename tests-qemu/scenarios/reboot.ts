import assert from 'node:assert/strict';
import { field } from '../../testing/field.ts';
import { authority, certificate } from '../../testing/make-certificates.ts';
import { type Colour, colourCount } from '../../testing/png.ts';
import { waitFor, within } from '../../testing/wait.ts';
import { zip } from '../../testing/zip.ts';
import { listed, putBundle } from '../harness/bundles.ts';
import { getDeviceOverTls, putCertificate } from '../harness/certificates.ts';
import { SERIAL_NUMBER } from '../harness/device-setup.ts';
import { coloursPage } from '../harness/pages.ts';
import { scenario } from '../harness/suite.ts';

const BOOT_TEST_MS = 15 * 60_000;
const TEAL: Colour = [0, 128, 128];
const AMBER: Colour = [255, 176, 0];
/** Time limit for a booted device to show its page. */
const DISPLAY_MS = 300_000;
/** Time limit of a PATCH. The one that the reset interrupts gets no response; others take up to two seconds. */
const PATCH_MS = 30_000;
/** Temporary files as left by interrupted writes, one of RAUC and one of the agent. */
const LEFTOVERS = '/data/rauc/central.raucs.ABC123 /data/..writable.0123456789ab.tmp';
const STORED = '/data/kiosk/storage/left';

export default scenario({
  title:
    'reboot, factory reset and shutdown through the API; a reset during writes; a firewall that fails at first',
  needs: 'system',
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
    });

    await test(
      'after a reset during PATCHes the configuration is the last acknowledged or the next one, leftovers are removed, and the boot bundle is shown',
      async () => {
        await putBundle(device, 'board', await zip({ 'index.html': coloursPage(TEAL, AMBER) }));
        await device.act('PATCH', '/config', { display: { boot_bundle: 'board' } });
        await device.shell.ok(`touch ${LEFTOVERS}; sync`);
        let acknowledged = -1;
        let sent = -1;
        const stopped = new AbortController();
        const enough = Promise.withResolvers<void>();
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
        const looping = loop().catch(() => undefined);
        await within(enough.promise, 120_000, 'twenty PATCHes');
        await device.reset();
        stopped.abort();
        await looping;
        // The loop may also have reached the rebooted device, so both values are read after its end.
        const volume = field(await device.get('/config'), 'audio.volume');
        const values = `${volume}; acknowledged ${acknowledged}, sent ${sent}`;
        assert.ok(volume === acknowledged || volume === sent, values);
        assert.equal(field(await device.get('/config'), 'device.name'), 'Kept');
        const { output } = await device.shell.run(`ls ${LEFTOVERS} 2>/dev/null`);
        assert.equal(output.trim(), '');
        const files = await device.shell.ok('ls /data');
        assert.doesNotMatch(files, /\.(?:tmp|bad|damaged)/i, 'something was set aside or left over');
        await device.waitForBundle('board');
        assert.equal(field(await listed(device, 'board'), 'active'), true);
        await device.waitForColours(TEAL, AMBER);
      },
      BOOT_TEST_MS,
    );

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
      // With several units, is-active succeeds if one of them is active.
      const areActive = `for unit in ${units}; do systemctl is-active $unit || exit; done`;
      await waitFor(async () => (await shell.run(areActive)).code === 0, {
        timeoutMs: 300_000,
        what: 'firewall, agent and kiosk to be up',
      });
    });

    await test(
      'a factory reset removes everything that is stored',
      async () => {
        const id = await device.shell.ok('cat /etc/machine-id');
        await device.restart(async () => {
          const json = { confirm: SERIAL_NUMBER };
          assert.equal((await device.http('POST', '/device/factory-reset', { json })).status, 202);
        });
        assert.equal(await device.shell.ok('cat /run/vitrine/data-state'), 'reset');
        assert.notEqual(await device.shell.ok('cat /etc/machine-id'), id);
        assert.equal(field(await device.get('/device'), 'name'), 'Vitrine');
        assert.equal(field(await device.get('/device'), 'serial'), SERIAL_NUMBER);
        assert.notEqual((await device.shell.run('ls /data/certificates/*.pem')).code, 0);
        assert.deepEqual(field(await device.get('/device/health'), 'problems'), []);
      },
      BOOT_TEST_MS,
    );

    await test('shutdown through the API powers the device off, also without the bus, which health reports', async () => {
      // A stop would also stop the services that restart with it.
      const unit = '/run/systemd/system/dbus.service.d';
      await device.shell.ok(`mkdir -p ${unit}; printf '[Service]\\nExecStart=\\nExecStart=/bin/false\\n' >${unit}/99-broken.conf
        systemctl daemon-reload; pkill -9 -x dbus-daemon`);
      await waitFor(async () => /D-Bus/.test(String(field(await device.get('/device/health'), 'problems'))), {
        timeoutMs: 60_000,
        what: 'health to report the bus',
      });
      assert.equal((await device.http('POST', '/device/shutdown')).status, 202);
      const { code, signal } = await within(device.host.ended, 240_000, 'the device to end');
      assert.deepEqual({ code, signal }, { code: 0, signal: null });
    });
  },
});
