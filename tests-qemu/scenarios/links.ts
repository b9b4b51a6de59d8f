import assert from 'node:assert/strict';
import { field } from '../../ci/client/events.ts';
import type { SerialClient } from '../../ci/client/ndjson.ts';
import { waitFor } from '../../lib/wait.ts';
import { gadgetUnplugged, waitForHostAddress } from '../harness/cable.ts';
import { SERIAL_NUMBER } from '../harness/device-setup.ts';
import { overCable, overHttp } from '../harness/exchange.ts';
import { type ScenarioContext, scenario } from '../harness/suite.ts';

/** Tests of a serial link, for either port. */
async function testSerialLink(
  { device, test }: ScenarioContext,
  name: string,
  open: () => Promise<SerialClient>,
): Promise<void> {
  /** Runs `work` with the link open. */
  const linked = (work: (serial: SerialClient) => Promise<void>) => async (): Promise<void> => {
    const serial = await open();
    try {
      await work(serial);
    } finally {
      serial.close();
    }
  };

  await test(
    `${name}: hello at every open`,
    linked(async (serial) => {
      const hello = {
        type: 'hello',
        serial: SERIAL_NUMBER,
        api: 'v1',
        name: field(await device.get('/device'), 'name'),
      };
      assert.deepEqual(await serial.frame('hello'), hello);
      serial.close();
      const again = await open();
      try {
        assert.deepEqual(await again.frame('hello'), hello);
      } finally {
        again.close();
      }
    }),
  );

  await test(
    `${name}: 200 pipelined requests each get their own response`,
    linked(async (serial) => {
      const ids = Array.from({ length: 200 }, (_, i) =>
        serial.send('GET', i % 2 === 0 ? '/api/v1/network' : `/api/v1/operations/none-${i}`),
      );
      for (const [i, id] of ids.entries()) {
        assert.equal((await serial.response(id)).status, i % 2 === 0 ? 200 : 404);
      }
    }),
  );

  await test(
    `${name}: an invalid line is answered or ignored, and the link stays usable`,
    linked(async (serial) => {
      const mark = serial.mark;
      serial.write('\n\r\n{"id":1,\n');
      assert.equal(field(await serial.frame('error', mark), 'error.code'), 'bad_frame');
      assert.equal(serial.mark, mark + 1, 'an empty line was answered');
      // A line over 1 MiB is silently ignored (interface: Limits).
      serial.write(`{"id":2,"type":"request","method":"GET","path":"${'x'.repeat(1024 * 1024)}"}\n`);
      assert.equal((await serial.request('GET', '/api/v1/device')).status, 200);
      assert.equal(serial.mark, mark + 1, 'the long line was answered');
    }),
  );

  await test(
    `${name}: a screenshot is transferred completely`,
    linked(async (serial) => {
      const { status, body_b64 = '' } = await serial.request('GET', '/api/v1/display/screenshot');
      assert.equal(status, 200);
      const png = Buffer.from(body_b64, 'base64');
      assert.equal(png.toString('latin1', 1, 4), 'PNG');
      assert.equal(png.toString('latin1', png.length - 8, png.length - 4), 'IEND');
    }),
  );

  await test(
    `${name}: the root shell, and the return to frames after exit`,
    linked(async (serial) => {
      const mark = serial.mark;
      serial.text = '';
      serial.write('{"type":"shell"}\n');
      // Wait for the prompt: a shell that initialises its line editing may drop earlier input.
      await serial.expectText(/[#$]/);
      // The sum proves that a shell computed it and the line was not just echoed.
      serial.write('echo answer=$((40+2)) uid=$(id -u)\n');
      await serial.expectText(/answer=42 uid=0/);
      serial.write('exit\n');
      await serial.frame('hello', mark);
      assert.equal((await serial.request('GET', '/api/v1/device')).status, 200);
      // The agent logs the start of the shell under its own name.
      const opened = (record: unknown): boolean =>
        field(record, 'message') === 'support shell opened' && field(record, 'source') === 'vitrine-agent';
      const isLogged = async (): Promise<boolean> => {
        const records = await device.get('/device/logs?limit=500');
        return Array.isArray(records) && records.some(opened);
      };
      await waitFor(isLogged, { timeoutMs: 30_000, what: 'the record of the shell' });
    }),
  );
}

export default scenario({
  title: 'both serial ports (open, pipelining, shell, unplugging), and the WebSocket of the events',
  machine: 'shared',
  run: async (context) => {
    const { device, test } = context;
    await testSerialLink(context, 'USB gadget', () => device.gadget());
    await testSerialLink(context, 'virtio port', () => device.serial());

    await test('after unplugging and plugging in the cable the network and the serial link work again', async () => {
      const before = await device.gadget();
      before.close();
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
        assert.equal((await after.request('GET', '/api/v1/device')).status, 200);
      } finally {
        after.close();
      }
    });

    await test('WebSocket: subscriptions add up, an unknown topic changes nothing', async () => {
      const socket = await device.events('display_state');
      try {
        socket.send({ type: 'subscribe', topics: ['no_such_topic', 'log'] });
        await waitFor(() => socket.others.some((m) => field(m, 'error.code') === 'bad_request'), {
          timeoutMs: 60_000,
          what: 'the refusal of an unknown topic',
        });
        await socket.subscribe('config_changed');
        const topics = field(socket.others.at(-1), 'topics');
        assert.ok(Array.isArray(topics));
        assert.deepEqual([...topics].sort(), ['config_changed', 'display_state']);
        const mark = socket.events.mark;
        await device.act('PATCH', '/config', { ui: { enabled: true } });
        const { payload } = await socket.events.next('config_changed', mark);
        assert.deepEqual(field(payload, 'paths'), ['ui.enabled']);
        assert.deepEqual(field(payload, 'config'), await device.get('/config'));
      } finally {
        await socket.close();
      }
    });

    await test('WebSocket: health events are sent periodically', async () => {
      const socket = await device.events('health');
      try {
        await waitFor(() => socket.events.since(0, 'health').length >= 2, {
          timeoutMs: 120_000,
          what: 'two health events',
        });
        const [first] = socket.events.since(0, 'health');
        assert.deepEqual(
          Object.keys(Object(first?.payload)).sort(),
          Object.keys(Object(await device.get('/device/health'))).sort(),
        );
      } finally {
        await socket.close();
      }
    });
  },
});
