/** The bundle origin alone, for the benchmark: serves one archive as the bundle `menu`, `bundle-server.ts ZIP`. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createLogger } from '../../agent/src/base/logger.ts';
import { plainServer } from '../../agent/src/links/http.ts';
import { BundleOrigin } from '../../agent/src/resources/content/serving/bundle-origin.ts';

const path = process.argv[2] ?? '';
const hash = createHash('sha256');
let size = 0;
await pipeline(createReadStream(path), async (chunks: AsyncIterable<Buffer>) => {
  for await (const chunk of chunks) {
    hash.update(chunk);
    size += chunk.length;
  }
});
const file = { path, sha256: hash.digest('hex'), size };
const origin = new BundleOrigin({
  client: async () => Buffer.from('client'),
  createServer: plainServer,
  port: 0,
  active: () => 'menu',
  locate: () => file,
  log: createLogger('error'),
});
await origin.start();
console.log(JSON.stringify({ port: Number(new URL(origin.url('menu')).port) }));
