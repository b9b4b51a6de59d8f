import assert from 'node:assert/strict';
import { waitFor } from '../../testing/wait.ts';
import { gadgetUnplugged, waitForHostAddress } from '../harness/cable.ts';
import { ContainerDevice } from '../harness/container-device.ts';
import { compareKinds, compareLinks } from '../harness/contract.ts';
import { overCable, overHttp } from '../harness/exchange.ts';
import { testSerialLink } from '../harness/serial-tests.ts';
import { scenario } from '../harness/suite.ts';

export default scenario({
  title: 'the USB cable: its serial port and network give the same answers as HTTP, also after unplugging',
  needs: 'machine',
  parts: ['gadget'],
  machine: 'shared',
  run: async (context) => {
    const { device, test } = context;
    const [gadget, ...others] = device.serialLinks;
    if (gadget) await testSerialLink(context, gadget);
    // The same tests pass on the serial link of a container.
    for (const link of others) await testSerialLink({ ...context, test: context.longTest }, link);
    await compareLinks(context);
    const { container: setup } = context;
    if (setup) {
      await test('a container gives the same answers, except for what needs a machine', async () => {
        const container = await ContainerDevice.bootUntilIdle(setup);
        try {
          await compareKinds(device, container);
        } finally {
          await container.discard();
        }
      });
    }

    await test('after unplugging and plugging in the cable the network and the serial link work again', async () => {
      const before = await device.gadget();
      await before.close();
      await gadgetUnplugged(device, async () => {
        await waitFor(async () => (await device.shell.run('test -e /dev/ttyACM0')).code !== 0, {
          timeoutMs: 90_000,
          what: 'the host side of the tty to go',
        });
        assert.equal((await device.http('GET', '/device')).status, 200);
      });
      await waitFor(async () => (await device.shell.run('test -e /dev/ttyACM0')).code === 0, {
        timeoutMs: 90_000,
        what: 'the host side of the tty to come back',
      });
      const request = { method: 'GET', path: '/api/v1/device' };
      await waitForHostAddress(device);
      assert.deepEqual(await overCable(device, [request]), [await overHttp(device, request)]);
      const after = await device.gadget();
      try {
        assert.equal((await after.request('GET', '/device')).status, 200);
      } finally {
        await after.close();
      }
    });
  },
});
