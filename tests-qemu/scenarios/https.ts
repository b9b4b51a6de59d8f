import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:https';
import {
  authority,
  certificate,
  rsaKey,
} from '../../agent/src/resources/certificates/tests/make-certificates.ts';
import type { Colour } from '../../ci/lib/png.ts';
import { waitFor } from '../../ci/lib/wait.ts';
import { HOST_ADDRESS } from '../../ci/qemu/arguments.ts';
import { askOverTls, putCertificate, putPem, TRY_MS } from '../harness/certificates.ts';
import type { Device } from '../harness/device.ts';
import { field } from '../harness/events.ts';
import { coloursPage } from '../harness/pages.ts';
import { scenario } from '../harness/suite.ts';

const [LEFT, RIGHT]: [Colour, Colour] = [
  [20, 60, 160],
  [240, 200, 20],
];
/** A browser that starts anew on a busy emulator, and its page. */
const SHOW_MS = 300_000;

async function remove(device: Device, which: 'ca' | 'server'): Promise<void> {
  assert.equal((await device.http('DELETE', `/files/certificates/${which}`)).status, 204);
}

/** Whether root and the displayed page's user, inside the device, get a connection to its HTTPS port. */
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
  machine: 'shared',
  run: async ({ device, test }) => {
    const ca = authority('Scenario Root');
    const middle = authority('Scenario Middle', ca);
    const own = certificate({ name: 'first', issuer: middle });
    const renewed = certificate({ name: 'renewed', issuer: ca, key: rsaKey() });
    const serial = field(await device.get('/device'), 'serial');

    await test('without a certificate there is no HTTPS', async () => {
      await assert.rejects(askOverTls(device, ca.cert));
      assert.deepEqual(await reaches(device), { root: false, kiosk: false });
    });

    await test('with one there is, beside HTTP, and the displayed page does not reach it', async () => {
      await putCertificate(device, 'server', own.key + middle.cert + own.cert);
      assert.deepEqual(await askOverTls(device, ca.cert), { serial, name: 'first' });
      assert.equal(field(await device.get('/device'), 'serial'), serial);
      assert.deepEqual(await reaches(device), { root: true, kiosk: false });
    });

    await test('what will not do is refused, and the old one stays', async () => {
      for (const pem of ['junk', own.cert, renewed.cert + own.key, own.cert + own.key.slice(0, 100)]) {
        const { status, body } = await putPem(device, 'server', pem);
        assert.deepEqual([status, field(body, 'error.code')], [400, 'bad_request']);
      }
      assert.equal((await askOverTls(device, ca.cert)).name, 'first');
    });

    await test('a renewed one is served at once; its key is root’s alone and in no log', async () => {
      await putCertificate(device, 'server', renewed.cert + renewed.key);
      assert.deepEqual(await askOverTls(device, ca.cert), { serial, name: 'renewed' });
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
      await test('a page signed by an unknown authority is not shown, and told', async () => {
        await device.act('POST', '/display/navigate', { url });
        await device.waitForDisplay(refused, 'the page to be refused', SHOW_MS);
      });

      await test('with the authority uploaded it comes by itself', async () => {
        await putCertificate(device, 'ca', ca.cert);
        await device.waitForColours(LEFT, RIGHT, SHOW_MS);
        // The browser paints before it tells that it has loaded, and only that ends the error.
        await device.waitForDisplay((display) => field(display, 'error') === null, 'the error to be gone');
      });

      await test('the same authority again disturbs nothing', async () => {
        const restarts = field(await device.get('/device/health'), 'browser.restarts');
        const loads = loaded;
        await putCertificate(device, 'ca', `# once more\r\n${ca.cert}`);
        await device.act('POST', '/display/reload');
        await waitFor(() => loaded > loads, { timeoutMs: SHOW_MS, what: 'the page to be loaded again' });
        assert.equal(field(await device.get('/device/health'), 'browser.restarts'), restarts);
      });

      await test('another browser, and another agent, know both', async () => {
        const loads = loaded;
        await device.shell.ok('systemctl restart vitrine-agent vitrine-kiosk');
        await waitFor(() => loaded > loads, { timeoutMs: SHOW_MS, what: 'the page to be loaded again' });
        await device.waitForColours(LEFT, RIGHT, SHOW_MS);
        assert.deepEqual(await askOverTls(device, ca.cert), { serial, name: 'renewed' });
        const errors = await device.shell.run(
          `journalctl --boot --unit vitrine-agent --grep '"level":[56]0'`,
        );
        assert.equal(errors.code, 1, errors.output); // nothing found
      });

      await test('without the authority the page is refused again', async () => {
        await remove(device, 'ca');
        await device.waitForDisplay(refused, 'the page to be refused', SHOW_MS);
        assert.equal((await device.shell.run('ls /run/vitrine/ca-certificates.crt')).code, 2);
      });
    } finally {
      server.closeAllConnections();
      server.close();
      await device.showWaiting();
    }

    await test('without the certificate HTTPS is gone, and HTTP is not', async () => {
      await remove(device, 'server');
      await remove(device, 'server');
      await waitFor(async () => !(await reaches(device)).root, {
        timeoutMs: TRY_MS,
        what: 'the port to be closed',
      });
      await assert.rejects(askOverTls(device, ca.cert));
      assert.equal(field(await device.get('/device'), 'serial'), serial);
      assert.equal(await device.shell.ok('ls -A /data/certificates'), '');
    });
  },
});
