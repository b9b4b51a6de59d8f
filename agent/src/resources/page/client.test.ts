/** The client that pages load, in a context that stands for a page. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, test } from 'node:test';
import { createContext, runInContext } from 'node:vm';
import { CLIENT_FILE } from './index.ts';

interface Client {
  send(value: unknown): Promise<boolean>;
}

let script: string;
before(async () => {
  script = await readFile(new URL(`../../../${CLIENT_FILE}`, import.meta.url), 'utf8');
});

/** A page on a device that takes every message. */
function loadClient(): { client: Client; sent: string[] } {
  const page = new EventTarget();
  const sent: string[] = [];
  page.addEventListener('vitrine-open', (event) => {
    event.preventDefault();
    queueMicrotask(() => page.dispatchEvent(new CustomEvent('vitrine-ready')));
  });
  page.addEventListener('vitrine-send', (event) => {
    event.preventDefault();
    assert.ok(event instanceof CustomEvent);
    sent.push(event.detail);
  });
  const window: { vitrine?: Client } = {};
  const context = {
    ...{ window, CustomEvent, TextEncoder, TypeError, RangeError },
    addEventListener: page.addEventListener.bind(page),
    dispatchEvent: page.dispatchEvent.bind(page),
  };
  runInContext(script, createContext(context));
  assert.ok(window.vitrine);
  return { client: window.vitrine, sent };
}

test('a message is sent as JSON; one that is too deep or too long is an error at once', async () => {
  const { client, sent } = loadClient();
  let deepest: unknown[] = [];
  for (let level = 1; level < 200; level += 1) deepest = [deepest];
  const brackets = { text: '"\\['.repeat(500), list: Array(500).fill([]) };
  assert.equal(await client.send(deepest), true);
  assert.equal(await client.send(brackets), true);
  await assert.rejects(client.send([deepest]), RangeError);
  await assert.rejects(client.send('x'.repeat(1024 * 1024)), RangeError);
  await assert.rejects(client.send(undefined), TypeError);
  assert.deepEqual(sent, [JSON.stringify(deepest), JSON.stringify(brackets)]);
});
