/** Uploads by the transport of browsers, which need XMLHttpRequest: in a real browser, to a real agent. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import { Stage } from './stage.ts';

const TRANSPORT = fileURLToPath(new URL('../../client/browser.ts', import.meta.url));
/** Random bytes, which are no bundle. */
const SIZE = 20 * 2 ** 20;

let stage: Stage;
let page: Page;
before(async () => {
  stage = await Stage.create();
  page = await stage.open({ path: '/show' });
  const options = { bundle: true, write: false, format: 'iife', globalName: 'Transport' } as const;
  const { outputFiles } = await build({ ...options, entryPoints: [TRANSPORT] });
  await page.evaluate(
    `${outputFiles[0]?.text}; globalThis.transport = Transport.browserTransport(origin + '/api/v1');`,
  );
});
after(() => stage.close());

/** Uploads an archive of random bytes, and gives what the page saw. @param body of a function with `progress`, `stop` */
async function upload(body: string): Promise<{ outcome: string; progress: [number, number][] }> {
  return await page.evaluate(`(async () => {
    const progress = [];
    const stop = new AbortController();
    const bytes = new Uint8Array(${SIZE}).fill(7);
    bytes.set([0x50, 0x4b, 3, 4]);
    const onProgress = (sent, total) => {
      progress.push([sent, total]);
      ${body}
    };
    const outcome = await transport.request('PUT', '/content/large', {
      raw: new Blob([bytes]), onProgress, signal: stop.signal, headers: { 'content-type': 'application/zip' },
    }).then(({ status, body }) => status + ' ' + body.error?.code, (error) => error.name);
    return { outcome, progress };
  })()`);
}

test('progress goes up to the whole size, and the answer arrives', async () => {
  const { outcome, progress } = await upload('');
  assert.equal(outcome, '400 bundle_invalid');
  assert.ok(progress.every(([sent, total], at) => total === SIZE && sent >= (progress[at - 1]?.[0] ?? 0)));
  assert.equal(progress.at(-1)?.[0], SIZE);
});

test('an upload that is cancelled ends at once, and nothing of it stays', async () => {
  const { outcome } = await upload('stop.abort();');
  assert.equal(outcome, 'AbortError');
  assert.deepEqual((await stage.client.get('/content')).bundles, []);
});

test('a lost connection is an error', async () => {
  stage.gate.cut();
  const { outcome } = await upload('');
  assert.equal(outcome, 'TypeError');
});
