/**
 * Uses an agent through a client that orval generated: uploads a bundle, reads it back, changes the configuration.
 * `node use-orval.ts API FILE`; run by `npm run check:clients`.
 */
import assert from 'node:assert/strict';
import { openAsBlob } from 'node:fs';
import { getContent, getOperation, patchConfig, uploadBundle } from './orval-client.ts';

const [, file = ''] = process.argv.slice(2);
const zip = await openAsBlob(file);

const uploaded = await uploadBundle('from-orval', zip);
if (uploaded.status !== 202) assert.fail(JSON.stringify(uploaded.data));
for (;;) {
  const operation = await getOperation(uploaded.data.operation_id);
  if (operation.status !== 200) assert.fail(JSON.stringify(operation.data));
  if (operation.data.state === 'done') break;
  assert.equal(operation.data.state, 'running', JSON.stringify(operation.data));
}
const content = await getContent();
if (content.status !== 200) assert.fail(JSON.stringify(content.data));
const bundle = content.data.bundles.find(({ name }) => name === 'from-orval');
assert.equal(bundle?.size_bytes, zip.size);

const patched = await patchConfig({ wifi: { networks: [{ ssid: 'orval' }] } });
if (patched.status !== 200) assert.fail(JSON.stringify(patched.data));
assert.deepEqual(patched.data.config.wifi.networks, [{ ssid: 'orval', psk: '', priority: 0 }]);
const unknown = await getOperation('none');
assert.equal(unknown.status, 404);
