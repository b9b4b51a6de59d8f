import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogger } from '../../base/logger.ts';
import { PageAssets } from './page-assets.ts';

const log = createLogger('silent');
const text = (data: string) => ({
  contentType: 'text/plain',
  version: data,
  read: async () => Buffer.from(data),
});
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('requests are answered two at a time, and too many are refused', async () => {
  const started: string[] = [];
  const taken: PromiseWithResolvers<void>[] = [];
  const answers: number[] = [];
  const assets = new PageAssets({
    find: (uri) => {
      started.push(uri);
      return text(uri);
    },
    answer: ({ request, data }) => {
      answers.push(request);
      if (data === undefined) return Promise.resolve();
      const gate = Promise.withResolvers<void>();
      taken.push(gate);
      return gate.promise;
    },
    log,
  });
  for (let request = 1; request <= 70; request += 1) assets.take({ request, uri: `vitrine://${request}` });
  await settled();
  assert.deepEqual(started, ['vitrine://1', 'vitrine://2'], 'two at a time');
  assert.deepEqual(
    [...answers].sort((a, b) => a - b),
    [1, 2, 67, 68, 69, 70],
    'four are too many',
  );
  taken[0]?.resolve();
  await settled();
  assert.deepEqual(started.at(-1), 'vitrine://3', 'the next begins when the browser has an answer');
  assets.forget();
  for (const gate of taken) gate.resolve();
  await settled();
  assert.equal(started.length, 3, 'requests of a disconnected browser are dropped');
});

test('an answer for a disconnected browser does not reach the next one', async () => {
  const read = Promise.withResolvers<Buffer>();
  const answers: number[] = [];
  const assets = new PageAssets({
    find: (uri) => (uri === 'old' ? { ...text('old'), read: () => read.promise } : undefined),
    answer: async ({ request }) => void answers.push(request),
    log,
  });
  assets.take({ request: 1, uri: 'old' });
  assets.forget();
  read.resolve(Buffer.from('old'));
  await settled();
  assets.take({ request: 2, uri: 'new' });
  await settled();
  assert.deepEqual(answers, [2]);
});

test('slow reads and failing answers do not block other requests', async () => {
  const answers: { request: number; data?: string }[] = [];
  const done = Promise.withResolvers<void>();
  const assets = new PageAssets({
    find: (uri) =>
      uri === 'slow' ? { ...text('slow'), read: () => new Promise(() => undefined) } : text('quick'),
    answer: async (fields) => {
      answers.push(fields);
      if (answers.length === 4) done.resolve();
      throw new Error('the browser went away');
    },
    log,
    readMs: 5,
  });
  for (const [i, uri] of ['slow', 'slow', 'quick', 'quick'].entries()) assets.take({ request: i + 1, uri });
  await done.promise;
  assert.deepEqual(answers.map(({ request, data }) => [request, data !== undefined]).sort(), [
    [1, false],
    [2, false],
    [3, true],
    [4, true],
  ]);
});

test('a flood of requests reads and encodes once, until the image changes or the cache expires', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let version = 'one';
  let reads = 0;
  const answers: string[] = [];
  const assets = new PageAssets({
    find: () => ({
      contentType: 'image/png',
      version,
      read: async () => {
        reads += 1;
        return Buffer.alloc(100_000, version);
      },
    }),
    answer: async ({ data }) => void (data !== undefined && answers.push(data)),
    log,
    keepMs: 50,
  });
  const flood = async (count: number): Promise<void> => {
    const wanted = answers.length + count;
    for (let i = 0; i < count; i += 1) {
      assets.take({ request: i, uri: `vitrine://files/splash?${i}` });
      if (i % 50 === 0) await settled();
    }
    while (answers.length < wanted) await settled();
  };
  await flood(2000);
  assert.equal(reads, 1);
  version = 'two';
  await flood(100);
  assert.equal(reads, 2);
  assert.equal(
    Buffer.from(answers.at(-1) ?? '', 'base64')
      .subarray(0, 6)
      .toString(),
    'twotwo',
  );
  t.mock.timers.tick(50);
  await flood(1);
  assert.equal(reads, 3, 'it was cached for too long');
});
