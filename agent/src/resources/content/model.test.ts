/** Whatever is done in whatever order, the index in memory is what is in the folder. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import fc from 'fast-check';
import { repetitions } from '../../../../testing/long-runs.ts';
import { type Answer, bundle, operationOf, sha256, type TestContent, testContent } from './tests/content.ts';

const NAMES = ['a', 'b', 'c'];
const archives = await Promise.all(['1', '2', 'three'].map((text) => bundle(text)));
const invalid = Buffer.from('no archive at all');

const name = fc.constantFrom(...NAMES);
const action = fc.oneof(
  fc.record({ type: fc.constant('put' as const), name, archive: fc.nat(archives.length - 1) }),
  fc.record({ type: fc.constant('put invalid' as const), name }),
  fc.record({ type: fc.constant('break off' as const), name }),
  fc.record({ type: fc.constant('delete' as const), name }),
  fc.record({ type: fc.constant('check' as const), name }),
  fc.record({ type: fc.constant('show' as const), name }),
  fc.record({ type: fc.constant('restart' as const) }),
);
type Action = typeof action extends fc.Arbitrary<infer A> ? A : never;

/** Names with the hash of what each holds. */
type Model = Map<string, string>;

const statusOf = ({ status, code }: Answer) => (code ? `${status} ${code}` : String(status));

async function perform(content: TestContent, model: Model, action: Action): Promise<void> {
  switch (action.type) {
    case 'put': {
      const bytes = archives[action.archive] ?? assert.fail('no such archive');
      const answer = await content.put(action.name, bytes);
      const { state } = await content.ended(operationOf(answer).operation_id);
      assert.equal(state, 'done');
      model.set(action.name, sha256(bytes));
      return;
    }
    case 'put invalid':
      assert.equal(statusOf(await content.put(action.name, invalid)), '400 bundle_invalid');
      return;
    case 'break off': {
      const body = Readable.from([archives[0]?.subarray(0, 20)]);
      const answer = await content.put(action.name, body, { 'content-length': '1000' });
      assert.equal(statusOf(answer), '400 bad_request');
      return;
    }
    case 'delete': {
      const expected = !model.has(action.name)
        ? '404 content_not_found'
        : content.active.has(action.name)
          ? '409 bundle_in_use'
          : '204';
      assert.equal(statusOf(await content.call('DELETE', `/content/${action.name}`)), expected);
      if (expected === '204') model.delete(action.name);
      return;
    }
    case 'check': {
      const answer = await content.call('POST', `/content/${action.name}/check`);
      if (!model.has(action.name)) assert.equal(statusOf(answer), '404 content_not_found');
      else assert.match(JSON.stringify(answer.body), /"ok":true/);
      return;
    }
    case 'show':
      content.active.clear();
      content.active.add(action.name);
      return;
    case 'restart':
      await content.restart();
  }
}

/** What is listed, once it has been compared with the folder. */
async function agreed(content: TestContent): Promise<Model> {
  const { body } = await content.call('GET', '/content');
  const { bundles } = JSON.parse(JSON.stringify(body));
  const model: Model = new Map();
  for (const one of bundles) {
    const file = `${one.name}.${Date.parse(one.created)}.${one.size_bytes}.${one.sha256}.zip`;
    const bytes = await readFile(join(content.folder, file));
    assert.equal(sha256(bytes), one.sha256);
    assert.equal(one.active, content.active.has(one.name));
    model.set(one.name, one.sha256);
  }
  assert.deepEqual(await content.files(), [...model.keys()].map((one) => `${one}.zip`).sort());
  return model;
}

test('one after the other, every answer is the expected one', { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 20 }), async (actions) => {
      const cleaning: (() => Promise<void>)[] = [];
      const content = await testContent({ after: (clean) => void cleaning.push(clean) });
      try {
        const model: Model = new Map();
        for (const one of actions) {
          await perform(content, model, one);
          assert.deepEqual(await agreed(content), model);
        }
      } finally {
        for (const clean of cleaning) await clean();
      }
    }),
    { numRuns: repetitions(10, 250) },
  );
});

test('all at once, what is listed afterwards is whole, and was stored', { timeout: 600_000 }, async () => {
  const concurrent = action.filter(({ type }) => type !== 'restart' && type !== 'show');
  await fc.assert(
    fc.asyncProperty(fc.array(concurrent, { minLength: 2, maxLength: 12 }), async (actions) => {
      const cleaning: (() => Promise<void>)[] = [];
      const content = await testContent({ after: (clean) => void cleaning.push(clean) });
      try {
        await content.stored('a', archives[0] ?? invalid);
        const answers = await Promise.all(
          actions.map(async (one) => {
            if (one.type === 'delete') return content.call('DELETE', `/content/${one.name}`);
            if (one.type === 'check') return content.call('POST', `/content/${one.name}/check`);
            if (one.type === 'restart' || one.type === 'show') return undefined;
            const bytes = one.type === 'put' ? archives[one.archive] : undefined;
            const answer = await content.put(one.name, bytes ?? invalid);
            if (answer.status === 202) await content.ended(operationOf(answer).operation_id);
            return answer;
          }),
        );
        for (const answer of answers) {
          assert.ok(
            !answer || (answer.status < 500 && answer.code !== 'bad_request'),
            JSON.stringify(answer),
          );
        }
        const model = await agreed(content);
        const known = archives.map(sha256);
        for (const hash of model.values()) assert.ok(known.includes(hash));
        await content.restart();
        assert.deepEqual(await agreed(content), model);
      } finally {
        for (const clean of cleaning) await clean();
      }
    }),
    { numRuns: repetitions(15, 400) },
  );
});
