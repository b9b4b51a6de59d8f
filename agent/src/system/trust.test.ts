import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request } from 'node:https';
import { test } from 'node:test';
import { authority, certificate } from '../../../testing/make-certificates.ts';
import { NodeTrust } from './trust.ts';

test('TLS clients trust a CA certificate as long as it is set', async (t) => {
  const ca = authority('Root');
  const server = createServer(certificate({ name: 'localhost', issuer: ca }), (_request, response) =>
    response.end('here'),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const address = server.address();
  assert.ok(typeof address === 'object' && address);
  // A new connection each time: a resumed session is not verified again.
  const ask = async () => {
    const call = request({ host: '127.0.0.1', port: address.port, agent: false }).end();
    const [answer] = await once(call, 'response');
    let text = '';
    for await (const chunk of answer) text += chunk;
    return text;
  };
  const trust = new NodeTrust();
  trust.apply([]);
  await assert.rejects(ask());
  trust.apply([ca.cert]);
  assert.equal(await ask(), 'here');
  trust.apply([]);
  await assert.rejects(ask());
  trust.apply([authority('Other').cert, ca.cert]);
  assert.equal(await ask(), 'here');
});
