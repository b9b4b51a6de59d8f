/**
 * Uses an agent through a client with types from openapi-typescript: uploads a bundle, reads it back, changes the
 * configuration. `node use-client.ts API FILE`; run by `npm run check:clients`.
 */
import assert from 'node:assert/strict';
import { openAsBlob } from 'node:fs';
import createClient from 'openapi-fetch';
import type { components, paths } from './api.d.ts';

const [baseUrl = '', file = ''] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl });
const zip = await openAsBlob(file);

const uploaded = await client.PUT('/content/{name}', {
  params: { path: { name: 'from-typescript' } },
  headers: { 'content-type': 'application/zip' },
  // The generated type of a binary body is string; the serializer sends the file instead.
  body: file,
  bodySerializer: () => zip,
});
const id = uploaded.data?.operation_id ?? assert.fail(JSON.stringify(uploaded.error));
for (;;) {
  const { data: operation } = await client.GET('/operations/{id}', { params: { path: { id } } });
  if (operation?.state === 'done') break;
  assert.equal(operation?.state, 'running', JSON.stringify(operation));
}
const { data: content } = await client.GET('/content');
const bundle = content?.bundles.find(({ name }) => name === 'from-typescript');
assert.equal(bundle?.size_bytes, zip.size);

// Passphrase and priority are optional in the generated type.
const network: components['schemas']['WifiNetworkInput'] = { ssid: 'typescript' };
const patched = await client.PATCH('/config', { body: { wifi: { networks: [network] } } });
assert.deepEqual(patched.data?.config.wifi.networks, [{ ssid: 'typescript', psk: '', priority: 0 }]);
assert.deepEqual(patched.data?.applied, { 'wifi.networks': 'live' });

const splash = await client.GET('/files/splash', { parseAs: 'arrayBuffer' });
assert.equal(Buffer.from(splash.data ?? new ArrayBuffer()).toString('latin1', 1, 4), 'PNG');
const unknown = await client.GET('/operations/{id}', { params: { path: { id: 'none' } } });
assert.equal(unknown.error?.error.code, 'operation_not_found');
