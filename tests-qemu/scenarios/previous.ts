/**
 * The update from the image of another version, and the way back. `--previous FOLDER` names the folder of that image, as
 * `npm run image` prints it in a working tree of that version; default: the image under test.
 */
import assert from 'node:assert/strict';
import { imageIn } from '../../ci/qemu/image.ts';
import { field } from '../../testing/field.ts';
import { authority } from '../../testing/make-certificates.ts';
import { waitFor } from '../../testing/wait.ts';
import { zip } from '../../testing/zip.ts';
import { putBundle as putContent } from '../harness/bundles.ts';
import { putCertificate } from '../harness/certificates.ts';
import type { Device } from '../harness/device.ts';
import { scenario } from '../harness/suite.ts';
import { applyAndWait, changedBundle, install } from '../harness/updates.ts';

const LONG_MS = 40 * 60_000;
const CONFIRM_MS = 5 * 60_000;
const NEXT = '0.9.0';
/** Starts the other slot, as an operator does who wants the previous version back. */
const CHANGE_SLOT = 'rauc status mark-active other && systemctl reboot --no-block';

/** What a device has stored. */
async function stored(device: Device) {
  const { shell } = device;
  return {
    config: await device.get('/config'),
    content: field(await device.get('/content'), 'bundles'),
    files: await shell.ok('cd /data && sha256sum certificates/ca.pem content/*.zip'),
    identity: await shell.ok('cat /etc/machine-id'),
    serial: field(await device.get('/device'), 'serial'),
  };
}

/** Every value of `old` is in `now`; a newer version may have more fields. */
function assertKept(now: unknown, old: unknown, path = ''): void {
  if (typeof old !== 'object' || old === null || Array.isArray(old)) {
    assert.deepEqual(now, old, path);
    return;
  }
  for (const [name, value] of Object.entries(old)) assertKept(field(now, name), value, `${path}/${name}`);
}

async function waitForSlot(device: Device, slot: 'A' | 'B'): Promise<void> {
  assert.match(await device.shell.ok('cat /proc/cmdline'), new RegExp(`rauc\\.slot=${slot}\\b`));
  await waitFor(
    async () => (await device.shell.run(`fw_printenv BOOT_${slot}_LEFT | grep -q =3`)).code === 0,
    {
      timeoutMs: CONFIRM_MS,
      what: `slot ${slot} to be marked good`,
    },
  );
}

export default scenario({
  title: 'an update from the image of another version and the way back keep everything that is stored',
  needs: 'machine',
  parts: ['slots'],
  machine: 'booted',
  onlyNamed: true,
  deviceImage: async ({ previous }) => (previous === undefined ? undefined : await imageIn(previous)),
  run: async ({ device, image, pages, test }) => {
    const url = pages.add('<!doctype html><title>kept</title>kept');
    const isShown = () =>
      device.waitForDisplay(
        (display) =>
          field(display, 'url') === url &&
          field(display, 'loading') === false &&
          field(display, 'error') === null,
        'the page to be shown',
        CONFIRM_MS,
      );
    let before: Awaited<ReturnType<typeof stored>>;

    await test('the previous version stores settings, content and certificates', async () => {
      const json = { device: { name: 'Kept' }, audio: { volume: 37 }, display: { resume_on_boot: true } };
      await device.act('PATCH', '/config', json);
      await putContent(device, 'menu', await zip({ 'index.html': '<!doctype html><title>menu</title>' }));
      await putCertificate(device, 'ca', authority('Previous Root').cert);
      await device.act('POST', '/display/navigate', { url });
      await isShown();
      before = await stored(device);
      await waitForSlot(device, 'A');
    });

    await test(
      'this version starts after the update with all of it, and is confirmed',
      async () => {
        await install(device, await changedBundle(image, NEXT));
        assert.equal(field(await applyAndWait(device), 'last_result.outcome'), 'success');
        await waitForSlot(device, 'B');
        assertKept(await stored(device), before);
        await isShown();
        const status = await device.get('/update');
        assert.deepEqual(field(status, 'slots.b'), { version: NEXT, state: 'good' }, JSON.stringify(status));
        assert.deepEqual(field(await device.get('/device/health'), 'problems'), []);
      },
      LONG_MS,
    );

    await test(
      'the previous version starts with what this version has written, and loses nothing of it',
      async () => {
        const json = { audio: { volume: 21 }, update: { allow_downgrade: true } };
        await device.act('PATCH', '/config', json);
        const newer = await stored(device);
        await device.restart(() => device.shell.ok(CHANGE_SLOT));
        await waitForSlot(device, 'A');
        const { config, ...rest } = before;
        const now = await stored(device);
        assertKept(now, rest);
        assert.equal(field(now.config, 'audio.volume'), 21);
        assert.equal(field(now.config, 'device.name'), field(config, 'device.name'));
        await isShown();
        await device.act('PATCH', '/config', { audio: { volume: 22 } });
        await device.restart(() => device.shell.ok(CHANGE_SLOT));
        await waitForSlot(device, 'B');
        const again = await stored(device);
        assert.equal(field(again.config, 'audio.volume'), 22);
        assert.equal(field(again.config, 'update.allow_downgrade'), true);
        assertKept(field(again.config, 'display'), field(newer.config, 'display'));
      },
      LONG_MS,
    );
  },
});
