import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:https';
import { HOST_ADDRESS } from '../../ci/qemu/arguments.ts';
import { field } from '../../testing/field.ts';
import { authority, certificate, rsaKey } from '../../testing/make-certificates.ts';
import type { Colour } from '../../testing/png.ts';
import { waitFor } from '../../testing/wait.ts';
import { getDeviceOverTls, putCertificate, putPem, TRY_MS } from '../harness/certificates.ts';
import type { Device } from '../harness/device.ts';
import { coloursPage } from '../harness/pages.ts';
import { scenario } from '../harness/suite.ts';

const [LEFT, RIGHT]: [Colour, Colour] = [
  [20, 60, 160],
  [240, 200, 20],
];
/** Time limit for a restart of the browser and the load of its page on a busy emulator, in ms. */
const SHOW_MS = 300_000;

async function remove(device: Device, which: 'ca' | 'server'): Promise<void> {
  assert.equal((await device.http('DELETE', `/files/certificates/${which}`)).status, 204);
}

/** Whether root and the kiosk user can connect to the HTTPS port from inside the device. */
async function reaches(device: Device): Promise<{ root: boolean; kiosk: boolean }> {
  const dial = 'busybox nc -w 30 127.0.0.1 443 </dev/null >/dev/null 2>&1';
  return {
    root: (await device.shell.run(dial)).code === 0,
    kiosk:
      (await device.shell.run(`setpriv --reuid kiosk --regid kiosk --init-groups -- ${dial}`)).code === 0,
  };
}

export default scenario({
  title: 'HTTPS with an uploaded certificate; pages signed by an uploaded authority',
  needs: 'system',
  machine: 'shared',
  run: async ({ device, test }) => {
    const ca = authority('Scenario Root');
    const middle = authority('Scenario Middle', ca);
    const own = certificate({ name: 'first', issuer: middle });
    const renewed = certificate({ name: 'renewed', issuer: ca, key: rsaKey() });
    const serial = field(await device.get('/device'), 'serial');
    // Scenarios before this one may have made the agent fail.
    const journal = await device.shell.ok('journalctl --boot --lines=1 --show-cursor --quiet');
    const cursor = /^-- cursor: (.+)$/m.exec(journal)?.[1] ?? assert.fail(journal);

    await test('without a certificate there is no HTTPS', async () => {
      await assert.rejects(getDeviceOverTls(device, ca.cert));
      assert.deepEqual(await reaches(device), { root: false, kiosk: false });
    });

    await test('with a certificate HTTPS works in addition to HTTP, and the displayed page cannot reach it', async () => {
      await putCertificate(device, 'server', own.key + middle.cert + own.cert);
      assert.deepEqual(await getDeviceOverTls(device, ca.cert), { serial, name: 'first' });
      assert.equal(field(await device.get('/device'), 'serial'), serial);
      assert.deepEqual(await reaches(device), { root: true, kiosk: false });
    });

    await test('invalid certificates are rejected, and the old one stays', async () => {
      for (const pem of ['junk', own.cert, renewed.cert + own.key, own.cert + own.key.slice(0, 100)]) {
        const { status, body } = await putPem(device, 'server', pem);
        assert.deepEqual([status, field(body, 'error.code')], [400, 'bad_request']);
      }
      assert.equal((await getDeviceOverTls(device, ca.cert)).name, 'first');
    });

    await test('a renewed certificate is used at once; its key is readable by root only and not in the log', async () => {
      await putCertificate(device, 'server', renewed.cert + renewed.key);
      assert.deepEqual(await getDeviceOverTls(device, ca.cert), { serial, name: 'renewed' });
      const mode = await device.shell.ok('stat -c "%a %U" /data/certificates /data/certificates/server.pem');
      assert.deepEqual(mode.trim().split('\n'), ['700 root', '600 root']);
      for (const { key } of [own, renewed]) {
        const line = key.split('\n')[2] ?? '';
        assert.equal((await device.shell.run(`journalctl --boot | grep -qF '${line}'`)).code, 1);
      }
    });

    let loaded = 0;
    const server = createServer(certificate({ name: 'pages', issuer: ca }), (_request, response) => {
      loaded += 1;
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end(coloursPage(LEFT, RIGHT));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    assert.ok(typeof address === 'object' && address);
    const url = `https://${HOST_ADDRESS}:${address.port}/`;
    const refused = (display: unknown): boolean =>
      field(display, 'url') === url && field(display, 'error.code') === 'tls_failed';

    try {
      await test('a page with a certificate of an unknown authority is not shown, and the error is reported', async () => {
        await device.act('POST', '/display/navigate', { url });
        await device.waitForDisplay(refused, 'the page to be refused', SHOW_MS);
      });

      await test('after the upload of the authority the page is shown automatically', async () => {
        await putCertificate(device, 'ca', ca.cert);
        await device.waitForColours(LEFT, RIGHT, SHOW_MS);
        // The browser paints before it reports that the page has loaded, which clears the error.
        await device.waitForDisplay((display) => field(display, 'error') === null, 'the error to be cleared');
      });

      await test('uploading the same authority again does not restart the browser', async () => {
        const restarts = field(await device.get('/device/health'), 'browser.restarts');
        const loads = loaded;
        await putCertificate(device, 'ca', `# once more\r\n${ca.cert}`);
        await device.act('POST', '/display/reload');
        await waitFor(() => loaded > loads, { timeoutMs: SHOW_MS, what: 'the page to be loaded again' });
        assert.equal(field(await device.get('/device/health'), 'browser.restarts'), restarts);
      });

      await test('after a restart of agent and browser both certificates are used', async () => {
        const loads = loaded;
        await device.shell.ok('systemctl restart vitrine-agent vitrine-kiosk');
        await waitFor(() => loaded > loads, { timeoutMs: SHOW_MS, what: 'the page to be loaded again' });
        await device.waitForColours(LEFT, RIGHT, SHOW_MS);
        assert.deepEqual(await getDeviceOverTls(device, ca.cert), { serial, name: 'renewed' });
        const errors = await device.shell.run(
          `journalctl --after-cursor '${cursor}' --unit vitrine-agent --grep '"level":[56]0'`,
        );
        assert.equal(errors.code, 1, errors.output); // nothing found
      });

      await test('after the deletion of the authority the page is refused again', async () => {
        await remove(device, 'ca');
        await device.waitForDisplay(refused, 'the page to be refused', SHOW_MS);
        assert.equal((await device.shell.run('ls /run/vitrine/ca-certificates.crt')).code, 2);
      });
    } finally {
      server.closeAllConnections();
      server.close();
      await device.showWaiting();
    }

    await test('after the deletion of the certificate there is no HTTPS, and HTTP still works', async () => {
      await remove(device, 'server');
      await remove(device, 'server');
      await waitFor(async () => !(await reaches(device)).root, {
        timeoutMs: TRY_MS,
        what: 'the port to be closed',
      });
      await assert.rejects(getDeviceOverTls(device, ca.cert));
      assert.equal(field(await device.get('/device'), 'serial'), serial);
      assert.equal(await device.shell.ok('ls -A /data/certificates'), '');
    });
  },
});
