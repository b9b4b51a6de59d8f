import assert from 'node:assert/strict';
import { field } from '../../testing/field.ts';

import { waitFor } from '../../testing/wait.ts';
import { testSerialLink } from '../harness/serial-tests.ts';
import { scenario } from '../harness/suite.ts';

export default scenario({
  title: 'the serial link (open, pipelining, shell), and the WebSocket of the events',
  needs: 'system',
  machine: 'shared',
  run: async (context) => {
    const { device, test } = context;
    for (const link of device.serialLinks) await testSerialLink(context, link);

    await test('WebSocket: subscriptions add up, an unknown topic changes nothing', async () => {
      const socket = await device.events('display_state');
      try {
        socket.send({ type: 'subscribe', topics: ['no_such_topic', 'log'] });
        await waitFor(() => socket.others.since().some((m) => field(m, 'error.code') === 'bad_request'), {
          timeoutMs: 60_000,
          what: 'the refusal of an unknown topic',
        });
        await socket.subscribe('config_changed');
        const topics = field(socket.others.since().at(-1), 'topics');
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
