/** Every odd and hostile archive, through the endpoints: on upload, and on `check` of one that lies in the folder. */
import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { bundle, operationOf, sha256, testContent } from './tests/content.ts';
import { QUICK_CORPUS } from './zip/tests/corpus.ts';

test('on upload', async (t) => {
  const content = await testContent(t);
  const good = await bundle('the one that was there');
  await content.stored('menu', good);
  for (const { name, build, expected } of QUICK_CORPUS) {
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
      assert.deepEqual(await readFile(join(content.folder, 'menu.zip')), good);
      assert.deepEqual(await content.files(), ['menu.json', 'menu.zip']);
    });
  }
});

test('on check', async (t) => {
  const content = await testContent(t);
  const path = join(content.folder, 'menu.zip');
  for (const { name, build, expected } of QUICK_CORPUS) {
    await t.test(name, async () => {
      await rm(join(content.folder, 'menu.json'), { force: true });
      await writeFile(path, await build());
      await content.restart();
      const answer = await content.call('POST', '/content/menu/check');
      assert.equal(answer.status, 200);
      const { ok, message } = JSON.parse(JSON.stringify(answer.body));
      assert.equal(ok, expected === 'ok', message);
      if (expected !== 'ok') assert.match(message, expected);
    });
  }
});
