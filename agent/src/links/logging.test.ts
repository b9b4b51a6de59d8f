/** A log that nobody reads blocks nothing: a real process whose standard error is a pipe. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { waitFor } from '../../../testing/wait.ts';

const PROGRAM = join(import.meta.dirname, 'tests/logging-agent.ts');
/** More than the pipe, the buffers of both ends and the queue can hold together. */
const REQUESTS = 1500;

async function start(t: TestContext) {
  const child = spawn(process.execPath, [PROGRAM], { stdio: ['ignore', 'pipe', 'pipe'] });
  t.after(() => child.kill('SIGKILL'));
  const [address] = await once(createInterface(child.stdout), 'line');
  const get = (path: string) => fetch(`${address}/api/v1${path}`, { signal: AbortSignal.timeout(20_000) });
  const requests = async (count: number) => {
    for (let done = 0; done < count; done += 1) assert.equal((await get('/broken')).status, 200, `${done}`);
  };
  const messages: string[] = [];
  const read = () =>
    createInterface(child.stderr).on('line', (line) => messages.push(String(JSON.parse(line).msg)));
  return { child, get, requests, messages, read };
}

test('the API answers while nobody reads the log, and the log says how many records were dropped', async (t) => {
  const { requests, messages, read } = await start(t);
  await requests(REQUESTS);
  read();
  const dropped = () => messages.find((message) => /^\d+ records dropped/.test(message));
  await waitFor(() => dropped() !== undefined, { timeoutMs: 20_000, intervalMs: 5, what: 'the count' });
  await requests(1);
  await waitFor(() => messages.at(-1) === `request ${REQUESTS + 1}`, {
    timeoutMs: 20_000,
    intervalMs: 5,
    what: 'the log to go on',
  });
  // In order, without a gap other than the reported one.
  const kept = messages.length - 2;
  assert.equal(kept + Number.parseInt(dropped() ?? '', 10), REQUESTS);
  assert.ok(kept > 200, `${kept} records`);
  const expected = Array.from({ length: kept }, (_, index) => `request ${index + 1}`);
  assert.deepEqual(messages, [...expected, dropped(), `request ${REQUESTS + 1}`]);
});

test('the last record before the exit is written when somebody reads soon', async (t) => {
  const { child, get, requests, messages, read } = await start(t);
  await requests(REQUESTS);
  const ended = once(child, 'close');
  get('/fatal').catch(() => undefined);
  read();
  assert.equal((await ended)[0], 1);
  assert.equal(messages.at(-1), 'the end');
  assert.match(messages.at(-2) ?? '', /^\d+ records dropped/);
});

test('a log that nobody reads does not prevent the exit', async (t) => {
  const { child, get, requests } = await start(t);
  await requests(REQUESTS);
  const begun = performance.now();
  get('/fatal').catch(() => undefined);
  assert.equal((await once(child, 'exit'))[0], 1);
  assert.ok(performance.now() - begun < 10_000);
});

test('a closed pipe blocks nothing either', async (t) => {
  const { child, requests } = await start(t);
  child.stderr.destroy();
  await requests(20);
});
