import assert from 'node:assert/strict';
import { mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import { BundleChecks, MAX_CHECKS } from './checks.ts';
import { type Answer, bundle, sha256, type TestContent, testContent } from './tests/content.ts';

async function listed({ call }: TestContent): Promise<{ name: string; sha256: string; active: boolean }[]> {
  const { status, body } = await call('GET', '/content');
  assert.equal(status, 200);
  return JSON.parse(JSON.stringify(body)).bundles;
}

function checkOf({ status, body }: Answer): { ok: boolean; message: string } {
  assert.equal(status, 200);
  return JSON.parse(JSON.stringify(body));
}

test('lists bundles by name, with the displayed one marked active', async (t) => {
  const content = await testContent(t);
  assert.deepEqual(await listed(content), []);
  for (const name of ['menu', 'a', 'menu-2']) await content.stored(name, await bundle(name));
  content.active.add('menu');
  assert.deepEqual(
    (await listed(content)).map(({ name, active }) => [name, active]),
    [
      ['a', false],
      ['menu', true],
      ['menu-2', false],
    ],
  );
});

test('refuses invalid bundle names on every endpoint', async (t) => {
  const content = await testContent(t);
  for (const name of ['Menu', '-menu', 'menu-', 'me.nu', '..%2Fx', 'a'.repeat(64)]) {
    for (const answer of [
      await content.put(name, await bundle('x')),
      await content.call('POST', `/content/${name}/check`),
      await content.call('DELETE', `/content/${name}`),
    ]) {
      assert.deepEqual([answer.status, answer.code], [400, 'bad_request'], name);
    }
  }
  assert.deepEqual(await content.files(), []);
});

test('an unknown bundle is content_not_found', async (t) => {
  const content = await testContent(t);
  const answers = [
    await content.call('POST', '/content/menu/check'),
    await content.call('DELETE', '/content/menu'),
  ];
  for (const { status, code } of answers) assert.deepEqual([status, code], [404, 'content_not_found']);
  assert.equal(content.store.locate('menu'), undefined);
  assert.equal((await content.store.checks.problem('menu'))?.code, 'bundle_missing');
});

test('a deleted bundle stays deleted after a restart', async (t) => {
  const content = await testContent(t);
  await content.stored('menu', await bundle('x'));
  const answer = content.call('DELETE', '/content/menu');
  while (content.store.locate('menu')) await nextTick();
  assert.equal((await answer).status, 204);
  assert.deepEqual(await content.files(), []);
  assert.equal((await content.call('DELETE', '/content/menu')).code, 'content_not_found');
  await content.restart();
  assert.deepEqual(await listed(content), []);
});

test('closes a deleted bundle before the answer', async (t) => {
  let isFree = false;
  const closeRemoved = async () => {
    assert.deepEqual(await content.files(), []);
    isFree = true;
  };
  const content = await testContent(t, { closeRemoved });
  await content.stored('menu', await bundle('hello'));
  assert.equal((await content.call('DELETE', '/content/menu')).status, 204);
  assert.ok(isFree);
});

test('does not delete the displayed bundle', async (t) => {
  const content = await testContent(t);
  await content.stored('menu', await bundle('x'));
  content.active.add('menu');
  const { status, code } = await content.call('DELETE', '/content/menu');
  assert.deepEqual([status, code], [409, 'bundle_in_use']);
  assert.equal((await listed(content)).length, 1);
  content.active.clear();
  assert.equal((await content.call('DELETE', '/content/menu')).status, 204);
});

test('check reads a bundle completely and reports what is wrong', async (t) => {
  const content = await testContent(t);
  const [bytes, other] = [await bundle('hello', 1000), await bundle('hallo', 1000)];
  await content.stored('menu', bytes);
  const good = checkOf(await content.call('POST', '/content/menu/check'));
  assert.deepEqual(good, { ok: true, message: `The bundle is whole: 2 entries, ${bytes.length} bytes.` });

  const path = content.path('menu');
  const flipped = Buffer.from(bytes);
  flipped.writeUInt8((flipped[45] ?? 0) ^ 0xff, 45);
  const cases: [string, () => Promise<unknown>, RegExp][] = [
    ['a flipped bit', () => writeFile(path, flipped), /"index\.html"/],
    ['another good archive', () => writeFile(path, other), /SHA-256/],
    ['cut off', () => writeFile(path, bytes.subarray(0, 500)), /500 bytes instead of/],
    ['nothing', () => writeFile(path, ''), /0 bytes instead of/],
    ['no file', () => rm(path), /missing/],
    ['a folder', () => mkdir(path), /cannot be read: EISDIR|bytes instead of/],
  ];
  for (const [what, damage, reason] of cases) {
    await damage();
    const { ok, message } = checkOf(await content.call('POST', '/content/menu/check'));
    assert.equal(ok, false, what);
    assert.match(message, reason, what);
    assert.deepEqual(content.store.checks.problems(), [`The content bundle menu is damaged: ${message}`]);
    // A glance sees what the directory and the size tell.
    const problem = await content.store.checks.problem('menu');
    const isSeen = !['a flipped bit', 'another good archive'].includes(what);
    assert.equal(problem?.code, isSeen ? 'bundle_damaged' : undefined, what);
  }
});

test('check reports a file that cannot be read, and so does health', async (t) => {
  const content = await testContent(t);
  await content.stored('menu', await bundle('x'));
  const handle = await open('/dev/null');
  const failing = t.mock.method(Object.getPrototypeOf(handle), 'read', async () => {
    throw Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO', syscall: 'read' });
  });
  await handle.close();
  const { ok, message } = checkOf(await content.call('POST', '/content/menu/check'));
  assert.deepEqual([ok, message], [false, 'The file cannot be read: EIO.']);
  assert.equal((await content.store.checks.problem('menu'))?.code, 'bundle_damaged');
  const told = 'The content bundle menu is damaged: The file cannot be read: EIO.';
  assert.deepEqual(content.store.checks.problems(), [told]);
  failing.mock.restore();
  assert.equal(checkOf(await content.call('POST', '/content/menu/check')).ok, true);
  assert.deepEqual(content.store.checks.problems(), []);
});

test('checks of one bundle share a run, and the number of runs is limited', async (t) => {
  const content = await testContent(t);
  const names = Array.from({ length: MAX_CHECKS + 1 }, (_, index) => `menu-${index}`);
  for (const name of names) await content.stored(name, await bundle(name, 1024 * 1024));
  const first = content.store.checks.check('menu-0');
  assert.equal(content.store.checks.check('menu-0'), first);
  const answers = await Promise.all(names.map((name) => content.call('POST', `/content/${name}/check`)));
  assert.deepEqual(
    answers.map(({ status }) => status),
    names.map((_, index) => (index < MAX_CHECKS ? 200 : 429)),
  );
  assert.equal((await content.call('POST', `/content/${names.at(-1)}/check`)).status, 200);
});

test('a check of a replaced archive does not share the earlier run', async (t) => {
  const content = await testContent(t);
  const entries = await Promise.all(
    ['old', 'new'].map(async (name) => {
      await content.stored(name, await bundle(name));
      return { ...(content.store.locate(name) ?? assert.fail()), created: '' };
    }),
  );
  const [old = assert.fail(), replaced = assert.fail()] = entries;
  const index = new Map([['menu', old]]);
  const checks = new BundleChecks(index, new AbortController().signal);
  const first = checks.check('menu');
  assert.equal(checks.check('menu'), first);
  index.set('menu', replaced);
  const second = checks.check('menu');
  assert.notEqual(second, first);
  assert.ok((await first).ok && (await second).ok);
});

test('an archive that is replaced before it is opened: the new one is checked', async (t) => {
  const content = await testContent(t);
  await content.stored('menu', await bundle('x'));
  const current = content.store.locate('menu') ?? assert.fail();
  const index = new Map([['menu', { ...current, path: `${current.path}.gone` }]]);
  const problem = new BundleChecks(index, new AbortController().signal).problem('menu');
  index.set('menu', current);
  assert.equal(await problem, undefined);
});

test('readers of a bundle that is being replaced see one version only', async (t) => {
  const content = await testContent(t);
  const versions = [await bundle('a', 200_000), await bundle('b', 300_000)];
  await content.stored('menu', await bundle('first'));
  let replacing = true;
  const reader = async () => {
    let checks = 0;
    while (replacing) {
      const { ok, message } = checkOf(await content.call('POST', '/content/menu/check'));
      assert.ok(ok, message);
      assert.equal(await content.store.checks.problem('menu'), undefined);
      checks += 1;
    }
    return checks;
  };
  const checks = reader();
  for (let round = 0; round < 10; round++)
    await content.stored('menu', versions[round % 2] ?? Buffer.alloc(0));
  replacing = false;
  assert.ok((await checks) > 1);
});

test('a listener that throws does not prevent the replacement', async (t) => {
  const content = await testContent(t);
  const told: string[] = [];
  content.store.onReplaced(() => {
    throw new Error('no');
  });
  content.store.onReplaced((name) => told.push(name));
  const bytes = await bundle('x');
  await content.stored('menu', bytes);
  assert.deepEqual(told, ['menu']);
  assert.equal(content.store.locate('menu')?.sha256, sha256(bytes));
  assert.deepEqual(await readFile(content.store.locate('menu')?.path ?? ''), bytes);
});
