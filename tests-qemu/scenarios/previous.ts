/**
 * The update from the image of another version, and the way back. `--previous FOLDER` names the folder of that image, as
 * `npm run image` prints it in a working tree of that version; default: the image under test. A version without updates in
 * its API installs by RAUC's own command.
 */
import assert from 'node:assert/strict';
import { authority } from '../../agent/src/resources/certificates/tests/make-certificates.ts';
import { field } from '../../ci/client/events.ts';
import { waitFor } from '../../ci/lib/wait.ts';
import { zip } from '../../ci/lib/zip.ts';
import { imageIn } from '../../ci/qemu/image.ts';
import { putBundle as putContent } from '../harness/bundles.ts';
import { putCertificate } from '../harness/certificates.ts';
import type { Device } from '../harness/device.ts';
import { scenario } from '../harness/suite.ts';
import { applyAndWait, changedBundle, operationEnd, putBundle, serveFile } from '../harness/updates.ts';

const LONG_MS = 40 * 60_000;
const INSTALL_MS = 20 * 60_000;
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

/** Installs the update and starts it. */
async function update(device: Device, bundle: string): Promise<void> {
  const { status, body } = await putBundle(device, bundle);
  if (status === 202) {
    const operation = await operationEnd(device, field(body, 'operation_id'));
    assert.equal(field(operation, 'state'), 'done', JSON.stringify(operation));
    assert.equal(field(await applyAndWait(device), 'last_result.outcome'), 'success');
    return;
  }
  assert.equal(status, 501, JSON.stringify(body));
  device.say('this version has no updates in its API: the update is installed by RAUC');
  const served = await serveFile(bundle);
  try {
    await device.shell.ok(`rauc install ${served.url}`, INSTALL_MS);
  } finally {
    served.server.close();
  }
  await device.restart(() => device.shell.ok('systemctl reboot --no-block'));
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
  machine: 'booted',
  onlyNamed: true,
  deviceImage: async ({ previous }) => (previous === undefined ? undefined : await imageIn(previous)),
  run: async ({ device, image, pages, test }) => {
    const url = pages.add('<!doctype html><title>kept</title>kept');
    const isTarget = () =>
      device.waitForDisplay((display) => field(display, 'url') === url, 'the page as the target', CONFIRM_MS);
    let before: Awaited<ReturnType<typeof stored>>;

    await test('the previous version stores settings, content and certificates', async () => {
      const json = { device: { name: 'Kept' }, audio: { volume: 37 }, display: { resume_on_boot: true } };
      await device.act('PATCH', '/config', json);
      await putContent(device, 'menu', await zip({ 'index.html': '<!doctype html><title>menu</title>' }));
      await putCertificate(device, 'ca', authority('Previous Root').cert);
      await device.act('POST', '/display/navigate', { url });
      await isTarget();
      before = await stored(device);
      await waitForSlot(device, 'A');
    });

    await test(
      'this version starts after the update with all of it, and is found good',
      async () => {
        await update(device, await changedBundle(image, NEXT));
        await waitForSlot(device, 'B');
        assertKept(await stored(device), before);
        await isTarget();
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
        await isTarget();
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
