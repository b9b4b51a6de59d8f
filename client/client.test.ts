import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { makePng } from '../testing/make-png.ts';
import { type RunningAgent, startAgent } from '../testing/running-agent.ts';
import { type Cable, connectTerminals } from '../testing/terminals.ts';
import { zip } from '../testing/zip.ts';
import { type Answer, type Client, createClient, RequestError, type RequestOptions } from './client.ts';
import { httpTransport } from './http.ts';
import { openSerial } from './serial.ts';

/** A client whose device gives one answer, and the requests that it got. */
function fixed(status: number, body: unknown, timeoutMs?: number) {
  const requests: [string, string, (RequestOptions | undefined)?][] = [];
  const client = createClient({
    transport: {
      request: async (...request): Promise<Answer> => {
        requests.push(request);
        return { status, body, bytes: Buffer.from('bytes') };
      },
      openChannel: () => assert.fail(),
      close: async () => undefined,
    },
    ...(timeoutMs && { timeoutMs }),
  });
  return { client, requests };
}

test('values of the path and the query are encoded', async () => {
  const { client, requests } = fixed(200, {});
  await client.get('/operations/{id}', { params: { id: 'a/b?' } });
  await client.get('/device/logs', { query: { since: 's=1;i=2', limit: 5 } });
  assert.deepEqual(
    requests.map(([, path]) => path),
    ['/operations/a%2Fb%3F', '/device/logs?since=s%3D1%3Bi%3D2&limit=5'],
  );
});

test('the time limit of a client holds for requests without their own', async () => {
  const { client, requests } = fixed(200, {}, 10);
  await client.get('/device');
  await client.get('/device', { timeoutMs: 20 });
  assert.deepEqual(
    requests.map(([, , options]) => options?.timeoutMs),
    [10, 20],
  );
});

test('an answer that is not 2xx is thrown with its code and details, unless it is asked for', async () => {
  const body = { error: { code: 'bad_request', message: 'No.', details: { issues: [] } } };
  const { client } = fixed(400, body);
  await assert.rejects(client.get('/device'), (error) => {
    assert.ok(error instanceof RequestError);
    assert.equal(error.message, 'GET /device answers 400 bad_request (No.)');
    assert.deepEqual([error.status, error.code, error.details], [400, 'bad_request', { issues: [] }]);
    return true;
  });
  assert.deepEqual((await client.request('GET', '/device')).body, body);
  await assert.rejects(fixed(502, undefined).client.get('/device'), { message: /answers 502$/ });
});

describe('with an agent', () => {
  let cable: Cable;
  let agent: RunningAgent;
  const clients: [name: string, open: () => Promise<Client>][] = [
    ['HTTP', async () => createClient({ transport: httpTransport(agent.api) })],
    [
      'HTTP, kept alive',
      async () => createClient({ transport: httpTransport(agent.api, { keepAlive: true }) }),
    ],
    [
      'serial',
      async () => {
        const transport = await openSerial(cable.host);
        // Opening a pseudo terminal does not raise DTR: the agent may still see the last host.
        await transport.frame('hello', undefined, 2000).catch(() => undefined);
        return createClient({ transport });
      },
    ],
  ];

  before(async () => {
    cable = await connectTerminals();
    agent = await startAgent({ flags: ['--serial', cable.device] });
  });
  after(async () => {
    await agent?.stop();
    cable?.close();
  });

  for (const [name, open] of clients) {
    test(`calls, files and events over ${name}`, async () => {
      const client = await open();
      try {
        const { name: called, api } = await client.get('/device');
        assert.deepEqual([called, api], ['Vitrine', 'v1']);
        await assert.rejects(client.get('/operations/{id}', { params: { id: 'none' } }), {
          name: 'RequestError',
          code: 'operation_not_found',
          status: 404,
        });

        const channel = await client.events('config_changed', 'operation');
        const { mark } = channel.events;
        await client.patch('/config', { json: { device: { name: `Over ${name}` } } });
        const { payload } = await channel.events.next('config_changed', mark);
        assert.deepEqual(payload.paths, ['device.name']);
        await client.patch('/config', { json: { device: { name: null } } });

        const picture = makePng();
        await client.upload('/files/splash', picture);
        assert.deepEqual(Buffer.from(await client.download('/files/splash')), picture);
        await client.delete('/files/splash');

        const archive = await zip({ 'index.html': 'x'.repeat(40_000) });
        const headers = { 'content-length': String(archive.length) };
        const chunks = (async function* () {
          yield archive;
        })();
        const { operation_id } = await client.upload('/content/{name}', chunks, {
          params: { name: 'menu' },
          headers,
        });
        const isDone = (operation: { operation_id: string; state: string }): boolean =>
          operation.operation_id === operation_id && operation.state === 'done';
        await channel.events.next('operation', mark, isDone);
        await client.delete('/content/{name}', { params: { name: 'menu' } });
        await channel.close();
      } finally {
        await client.close();
      }
    });
  }
});
