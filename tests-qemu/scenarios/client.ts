/** `@vitrine/client`, the command `vitrine` and the Python package against a device, over both links. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { installPythonTests, runPythonTests } from '../../ci/clients/package/python-tests.ts';
import { ROOT } from '../../ci/lib/places.ts';
import { SerialTty } from '../../ci/lib/serial-tty.ts';
import { connect } from '../../client/connect.ts';
import type { FoundDevice } from '../../client/discover.ts';
import { push } from '../../client/folder.ts';
import { field } from '../../testing/field.ts';
import type { Colour } from '../../testing/png.ts';
import { removeBundles } from '../harness/bundles.ts';
import { ContainerDevice } from '../harness/container-device.ts';
import { SERIAL_NUMBER } from '../harness/device-setup.ts';
import { followFirstHour, pageOfTheDocuments } from '../harness/guide-tests.ts';
import { type HostWithCables, hostWithCables } from '../harness/host-with-cables.ts';
import { coloursPage } from '../harness/pages.ts';
import { scenario } from '../harness/suite.ts';

const WAIT = { timeoutMs: 120_000 };
const TEAL: Colour = [0, 128, 128];
const AMBER: Colour = [255, 176, 0];
/** Echoes what a host sends. */
const ECHO = `${coloursPage(AMBER, TEAL)}<script src="/display-client.js"></script><script>
  vitrine.onmessage = (value) => vitrine.send({ back: value });
</script>`;

const SERIALS = ['VIRT-0A000001', 'VIRT-0B000002'];
const ASK_USUAL =
  "fetch('http://10.55.77.1/api/v1/device').then((answer) => answer.json()).then(({ serial }) => console.log(serial))";
const RESOLVE_USUAL = `const socket = require('${join(ROOT, 'node_modules/multicast-dns')}')({ interface: process.argv[1], bind: false });
  socket.on('response', ({ answers }) => answers.forEach(({ name, type, data }) => {
    if (name !== 'vitrine.local' || type !== 'A') return;
    console.log(data);
    socket.destroy();
  }));
  socket.query('vitrine.local', 'A');`;
const VITRINE = [process.execPath, join(ROOT, 'client/cli/main.ts')];

const run = promisify(execFile);

export default scenario({
  title: 'the client libraries and the command `vitrine`, over the network and serial',
  needs: 'system',
  machine: 'shared',
  run: async ({ device, container: setup, pages, test, skip }) => {
    const folder = await mkdtemp(join(tmpdir(), 'vitrine-client-'));
    const wire = await mkdtemp(join(tmpdir(), 'vitrine-wire-'));
    const tty = new SerialTty(join(wire, 'tty'), device.paths.serial);
    const links = [
      ['the network', device.origin],
      ['serial', device.paths.serial],
    ] as const;
    try {
      await writeFile(join(folder, 'index.html'), ECHO);
      for (const [name, address] of links) {
        await test(`over ${name}: a page and a folder are shown, messages come back, failures have their reason`, async () => {
          const client = await connect(address);
          try {
            await client.show({ url: pages.addColours(TEAL, AMBER) }, WAIT);
            await device.waitForColours(TEAL, AMBER);
            await push(client, folder, { name: 'echo', show: true });
            await device.waitForColours(AMBER, TEAL);
            await client.waitChannelOpen(WAIT);
            const connected = Promise.withResolvers<void>();
            const signal = AbortSignal.timeout(WAIT.timeoutMs);
            const messages = client.events(['page_message'], { signal, onConnected: connected.resolve });
            const first = messages.next();
            await connected.promise;
            await client.post('/page/message', { json: { over: name } });
            assert.deepEqual((await first).value?.payload, { back: { over: name } });
            await messages.return();
            await assert.rejects(client.show({ url: 'http://10.0.2.2:1/' }, WAIT), { code: 'load_failed' });
            await client.show('waiting', WAIT);
          } finally {
            await client.close();
          }
        });

        await test(`over ${name}: the command shows, asks, and tells what is wrong`, async () => {
          const vitrine = async (...args: string[]) =>
            await run(process.execPath, [...VITRINE.slice(1), ...args], {
              env: { ...process.env, VITRINE_HOST: address },
              timeout: WAIT.timeoutMs,
            });
          const { stdout } = await vitrine('push', folder, '--name', 'echo', '--show');
          assert.equal(stdout, 'echo is on the screen\n');
          await device.waitForColours(AMBER, TEAL);
          assert.equal((await vitrine('js', '6 * 7')).stdout, '42\n');
          const refused = await vitrine('show', 'no-such-bundle').catch((error: unknown) => error);
          assert.equal(Object(refused).code, 1);
          assert.match(
            Object(refused).stderr,
            /^vitrine: POST \/display\/bundle answers 404 content_not_found/,
          );
        });
      }
      if (setup) {
        await test('two devices at one host are found and driven, each by itself', async () => {
          const devices: ContainerDevice[] = [];
          let host: HostWithCables | undefined;
          try {
            for (const serial of SERIALS) devices.push(await ContainerDevice.bootUntilIdle(setup, serial));
            host = await hostWithCables(setup.asRoot, devices);
            const vitrine = async (...args: string[]) =>
              JSON.parse((await host?.run([...VITRINE, '--json', ...args])) ?? '');
            const found: FoundDevice[] = await vitrine('discover');
            assert.deepEqual(found.map(({ serial }) => serial).sort(), SERIALS);
            assert.equal(new Set(found.map(({ address }) => address)).size, 2);
            await Promise.all(
              found.map(async ({ address, serial }) => {
                const show = await mkdtemp(join(folder, 'show-'));
                await writeFile(
                  join(show, 'index.html'),
                  serial === SERIALS[0] ? ECHO : coloursPage(TEAL, AMBER),
                );
                await vitrine('--host', address, 'push', show, '--name', 'own', '--show');
              }),
            );
            await devices[0]?.waitForColours(AMBER, TEAL);
            await devices[1]?.waitForColours(TEAL, AMBER);
            const cableAddress =
              (await host.run(['ip', '-4', '-br', 'address', 'show', 'cable1'])).split(/[\s/]+/)[2] ?? '';
            assert.match(
              await host.run([process.execPath, '-e', RESOLVE_USUAL, cableAddress]),
              /^10\.55\.\d+\.\d+$/m,
            );
            // The address that every device has leads to one of them, also from a host with a fixed address.
            const usual = async () => (await host?.run([process.execPath, '-e', ASK_USUAL]))?.trim() ?? '';
            assert.ok(SERIALS.includes(await usual()));
            await host.run(['ip', '-4', 'address', 'flush', 'dev', 'cable1']);
            await host.run(['ip', 'route', 'flush', '10.55.77.1']);
            await host.run(['ip', 'address', 'add', '10.55.77.2/24', 'dev', 'cable1']);
            assert.equal(await usual(), SERIALS[0]);
          } finally {
            await host?.close();
            for (const one of devices) await one.discard();
          }
        });
      }

      await test('the page that the documents begin with answers a message', async () => {
        await writeFile(join(folder, 'index.html'), await pageOfTheDocuments());
        const client = await connect(device.origin);
        try {
          await push(client, folder, { name: 'echo', show: true });
          await client.waitChannelOpen(WAIT);
          const messages = client.events(['page_message'], {
            signal: AbortSignal.timeout(WAIT.timeoutMs),
            onConnected: () => client.post('/page/message', { json: { text: 'Hello' } }),
          });
          assert.deepEqual((await messages.next()).value?.payload, { shown: 'Hello' });
          await messages.return();
        } finally {
          await client.close();
        }
      });

      const installed = await installPythonTests();
      if ('unavailable' in installed) skip('the Python package and the first hour', installed.unavailable);
      else {
        await test('the guide for the first hour leads to a page that talks with programs', async () => {
          const printed = await followFirstHour(device, tty.path, installed.python, pages);
          assert.equal(printed.get('hello.ts'), "{ shown: 'from TypeScript' }\n");
          assert.equal(printed.get('hello.py'), "{'shown': 'from Python'}\n");
          assert.equal(printed.get('serial_link.py'), `${SERIAL_NUMBER}\n`);
          assert.equal(field(await device.get('/config'), 'display.boot_bundle'), 'hello');
          await device.act('PATCH', '/config', { display: { boot_bundle: null } });
        });
        await test('the Python package passes its tests, over the network and over a tty', async () => {
          const { origin } = device;
          const { ok, output } = await runPythonTests(installed.python, { origin, serial: tty.path });
          assert.ok(ok, output);
          assert.match(output, /\b1 skipped\b/, 'of all, only the start of another device is skipped');
        });
      }
    } finally {
      tty.close();
      await device.act('POST', '/display/waiting');
      await removeBundles(device);
      await rm(wire, { recursive: true });
      await rm(folder, { recursive: true });
    }
  },
});
