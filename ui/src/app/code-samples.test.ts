/** The samples are run, against a server that says what it got. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { SAMPLE_KINDS, type Sample, sampleCode } from './code-samples.ts';

const run = promisify(execFile);
const PROGRAMS = {
  curl: (code: string) => run('sh', ['-c', code]),
  TypeScript: (code: string) => run(process.execPath, ['--input-type=module-typescript', '-e', code]),
  Python: (code: string) => run('python3', ['-c', code]),
};
/** Everything that a shell or a language might read otherwise. */
const ODD = `it's "quoted" $(id) \`id\` \\n \u2028 ünïcode 😀 <b>`;

test('every sample sends exactly its request', async (t) => {
  const got: unknown[] = [];
  const server = createServer(async (request, response) => {
    const { method, url, headers } = request;
    got.push([method, url, headers['content-type'], await text(request)]);
    response.setHeader('content-type', 'application/json').end('{"ok":true}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  const base = `http://127.0.0.1:${address.port}/api/v1`;
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-samples-'));
  t.after(() => rm(folder, { recursive: true }));
  const file = { name: join(folder, "a 'file'.bin"), type: 'application/octet-stream' };
  await writeFile(file.name, ODD);
  const samples: Sample[] = [
    { method: 'PUT', path: '/update/bundle', file },
    { method: 'DELETE', path: '/files/splash' },
    { method: 'POST', path: '/display/reload' },
    { method: 'PATCH', path: '/config', json: { device: { name: ODD, on: true, none: null } } },
  ];
  for (const kind of SAMPLE_KINDS) {
    for (const sample of samples) {
      const { stdout } = await PROGRAMS[kind](sampleCode(kind, sample, base));
      assert.match(stdout, /ok/);
      const [method, url, type, body] = [got.pop()].flat();
      assert.deepEqual([method, url], [sample.method, `/api/v1${sample.path}`], kind);
      if (sample.file) assert.deepEqual([type, body], [file.type, ODD], kind);
      else if (!sample.json) assert.equal(body, '', kind);
      else assert.deepEqual([type, JSON.parse(String(body))], ['application/json', sample.json], kind);
    }
  }
});
