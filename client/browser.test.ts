/** The transport of browsers, whose fetch and WebSocket Node has, too. Uploads are tested in a real browser (ui/tests). */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Duplex } from 'node:stream';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RunningAgent, startAgent } from '../testing/running-agent.ts';
import { type Cable, connectTerminals } from '../testing/terminals.ts';
import { waitFor } from '../testing/wait.ts';
import { zip } from '../testing/zip.ts';
import { browserTransport } from './browser.ts';
import { createClient } from './client.ts';
import { openTty, type Tty } from './tty.ts';
import { connectSerial, type WebSerialPort } from './web.ts';

let agent: RunningAgent;
let cable: Cable;
before(async () => {
  cable = await connectTerminals();
  agent = await startAgent({ flags: ['--serial', cable.device, '--content-port', '0'] });
});
after(async () => {
  await agent.stop();
  cable.close();
});

test('requests carry JSON and bytes, and errors have their code', async () => {
  const client = createClient({ transport: browserTransport(agent.api) });
  const { name } = await client.get('/device');
  assert.equal(name, 'Vitrine');
  await client.patch('/config', { json: { device: { name: 'Lobby' } } });
  assert.equal((await client.get('/device')).name, 'Lobby');
  await assert.rejects(client.upload('/files/splash', new Blob(['no picture'])), { code: 'bad_request' });
  await assert.rejects(client.get('/operations/{id}', { params: { id: 'x' } }), {
    code: 'operation_not_found',
  });
  const document = await client.download('/openapi.yaml');
  assert.match(new TextDecoder().decode(document), /^# Generated/);
});

test('a channel gives its listener every event, keeps few, and says when it ends', async () => {
  const transport = browserTransport(agent.api);
  const client = createClient({ transport });
  const seen: string[] = [];
  let heard = 0;
  let ended = 0;
  const channel = await transport.openChannel({
    event: ({ topic }) => seen.push(topic),
    heard: () => {
      heard += 1;
    },
    end: () => {
      ended += 1;
    },
  });
  await channel.subscribe('config_changed');
  const { mark } = channel.events;
  const count = 120;
  for (let index = 0; index < count; index += 1) {
    await client.patch('/config', { json: { device: { name: `Name ${index}` } } });
  }
  await waitFor(() => seen.length === count, { timeoutMs: 20_000, what: 'every event', intervalMs: 5 });
  assert.equal(heard, count + 1);
  assert.throws(() => channel.events.since(mark, 'config_changed'), /more than 50 frames/);
  await channel.close();
  assert.equal(ended, 1);
});

test('a request ends at its time limit and when it is given up; a socket that is refused is an error', async (t) => {
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  t.after(() => {
    silent.closeAllConnections();
    silent.close();
  });
  const { port } = silent.address() as AddressInfo;
  const transport = browserTransport(`http://127.0.0.1:${port}/api/v1`);
  await assert.rejects(transport.request('GET', '/device', { timeoutMs: 20 }), { name: 'TimeoutError' });
  const stop = new AbortController();
  const call = transport.request('GET', '/device', { signal: stop.signal });
  stop.abort();
  await assert.rejects(call, { name: 'AbortError' });
  await assert.rejects(browserTransport(`${agent.api}/nothing`).openChannel(), /could not be opened/);
});

test('a sequence of chunks is refused, since browsers would send it as text', async () => {
  async function* chunks() {
    yield new Uint8Array(1);
  }
  await assert.rejects(
    browserTransport(agent.api).request('PUT', '/files/splash', { raw: chunks() }),
    TypeError,
  );
});

/** A port as Web Serial has it, with the same streams, on a terminal. */
function webPort(path: string): WebSerialPort {
  let tty: Tty | undefined;
  let streams: Pick<WebSerialPort, 'readable' | 'writable'> | undefined;
  return {
    get readable() {
      return streams?.readable ?? null;
    },
    get writable() {
      return streams?.writable ?? null;
    },
    open: async () => {
      tty = await openTty(path);
      // The types of Node's streams and of a browser's differ in what is not used here.
      streams = Duplex.toWeb(tty) as typeof streams;
    },
    close: async () => {
      // A browser's other process closes it.
      await sleep(50);
      await new Promise((resolve) => tty?.close(resolve));
    },
  };
}

test('over Web Serial: calls, events and files, and the port can be opened again after its end', async () => {
  for (const name of ['Lobby', 'Shop']) {
    const device = await connectSerial(webPort(cable.host));
    try {
      const events = device.events(['config_changed'], {
        onConnected: () => device.patch('/config', { json: { device: { name } } }),
      });
      assert.deepEqual((await events.next()).value?.payload.paths, ['device.name']);
      await events.return();
      assert.equal((await device.get('/device')).name, name);
      const archive = await zip({ 'index.html': 'x'.repeat(50_000) });
      await device.storeBundle('menu', new Blob([new Uint8Array(archive)]));
      assert.deepEqual(
        (await device.get('/content')).bundles.map((bundle) => bundle.name),
        ['menu'],
      );
    } finally {
      await device.close();
    }
  }
});
