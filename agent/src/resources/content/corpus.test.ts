/** Odd and hostile archives through the endpoints: on upload, and on `check` of one that lies in the folder. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { DiskSpace } from '../../uploads/ports.ts';
import { storedBundle } from './bundle-files.ts';
import { bundle, operationOf, sha256, testContent } from './tests/content.ts';
import { SAMPLES } from './zip/tests/corpus.ts';

/** Room for everything: the real one starts a program for every upload. */
const disk: DiskSpace = {
  reserve: async () => undefined,
  free: async () => ({ free_bytes: 2 ** 40, total_bytes: 2 ** 40 }),
};

test('on upload', async (t) => {
  const content = await testContent(t, { disk });
  const good = await bundle('the one that was there');
  await content.stored('menu', good);
  for (const { name, build, expected } of SAMPLES) {
    await t.test(name, async () => {
      const bytes = await build();
      const answer = await content.put('menu', bytes);
      if (expected === 'ok') {
        assert.equal(answer.status, 202, JSON.stringify(answer.body));
        await content.ended(operationOf(answer).operation_id);
        assert.equal(content.store.locate('menu')?.sha256, sha256(bytes));
        await content.stored('menu', good);
        return;
      }
      assert.deepEqual([answer.status, answer.code], [400, 'bundle_invalid']);
      const { error } = JSON.parse(JSON.stringify(answer.body));
      assert.match(error.message, expected);
      assert.equal(content.events.at(-1)?.state, 'failed');
      assert.deepEqual(await readFile(content.path('menu')), good);
      assert.deepEqual(await content.files(), ['menu.zip']);
    });
  }
});

test('on check', async (t) => {
  const content = await testContent(t);
  for (const [index, { build }] of SAMPLES.entries()) {
    const bytes = await build();
    const upload = { size: bytes.length, sha256: sha256(bytes) };
    await writeFile(storedBundle(content.folder, `bundle-${index}`, 0, upload).path, bytes);
  }
  await content.restart();
  for (const [index, { name, expected }] of SAMPLES.entries()) {
    await t.test(name, async () => {
      const answer = await content.call('POST', `/content/bundle-${index}/check`);
      assert.equal(answer.status, 200);
      const { ok, message } = JSON.parse(JSON.stringify(answer.body));
      assert.equal(ok, expected === 'ok', message);
      if (expected !== 'ok') assert.match(message, expected);
    });
  }
});
