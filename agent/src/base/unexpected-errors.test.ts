/** The real agent, with callbacks of every kind that throw. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startAgent } from '../../../testing/running-agent.ts';
import { waitFor } from '../../../testing/wait.ts';
import { KindEvents } from './kind-events.ts';

/** Loaded before the agent. Each callback is called once the agent has written that it is ready. */
const FAULTS = `
import { EventEmitter } from 'node:events';
import { connect } from 'node:net';
const faults = [
  () => setTimeout(() => { throw new Error('a timer') }),
  () => { const timer = setInterval(() => { clearInterval(timer); throw new Error('an interval') }) },
  () => setImmediate(() => { throw new Error('an immediate') }),
  () => process.nextTick(() => { throw new Error('a tick') }),
  () => queueMicrotask(() => { throw new Error('a microtask') }),
  () => setImmediate(() => new EventEmitter().emit('error', new Error('an emitter'))),
  () => connect('/no/such/socket'),
  () => { Promise.reject(new Error('a promise')) },
  () => { (async () => { throw undefined })() },
  () => setTimeout(() => { throw { get message() { throw 1 }, toJSON() { throw 2 }, toString() { throw 3 } } }),
];
const { log } = console;
console.log = (line) => {
  log(line);
  for (const fault of faults) fault();
};
`;
const COUNT = 10;

test('no callback ends the agent: it logs them, and health reports them', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-faults-'));
  t.after(() => rm(folder, { recursive: true }));
  const preload = join(folder, 'faults.mjs');
  await writeFile(preload, FAULTS);
  const agent = await startAgent({ nodeOptions: ['--import', preload], isQuiet: true });
  t.after(() => agent.stop());
  const health = async () => JSON.parse(await (await fetch(`${agent.api}/device/health`)).text());
  const { problems } = await waitFor(
    async () => {
      const found = await health();
      return found.problems.join().includes(`${COUNT} times`) && found;
    },
    { timeoutMs: 30_000, intervalMs: 50, what: 'the failures in health' },
  );
  assert.match(problems.join(), /failed unexpectedly, 10 times since its start/);
});

test('a listener that throws ends neither the emitter nor the listeners after it', async () => {
  const events = new KindEvents<{ event: 'a' }>();
  const called: string[] = [];
  events.on(['a'], () => {
    called.push('first');
    throw new Error('a listener');
  });
  events.on(['a'], () => called.push('second'));
  const thrown = new Promise((resolve) => process.setUncaughtExceptionCaptureCallback(resolve));
  events.emit({ event: 'a' });
  assert.deepEqual(called, ['first', 'second']);
  const error = await thrown;
  process.setUncaughtExceptionCaptureCallback(null);
  assert.ok(error instanceof Error && error.message === 'a listener');
});
