import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { createLogger } from '../base/logger.ts';
import { follow, run, runOk } from './processes.ts';

const log = createLogger('silent');

test('returns status and output', async () => {
  const result = await run('sh', ['-c', 'echo out; echo err >&2; exit 3'], { timeoutMs: 60_000 });
  assert.deepEqual(result, { code: 3, stdout: 'out\n', stderr: 'err\n' });
});

test('runOk returns the output, and throws the error output or the status of a failure', async () => {
  const shell = (script: string) => runOk('sh', ['-c', script], { timeoutMs: 60_000 });
  assert.equal(await shell('echo out; echo warning >&2'), 'out\n');
  await assert.rejects(shell('echo wrong >&2; exit 3'), { message: 'wrong' });
  await assert.rejects(shell('echo out; exit 3'), { message: 'sh ended with 3' });
});

test('kills a child that prints too much', async () => {
  await assert.rejects(run('cat', ['/dev/zero'], { timeoutMs: 60_000 }), /maxBuffer/);
});

test('kills a child that takes too long', async () => {
  await assert.rejects(run('sleep', ['30'], { timeoutMs: 50 }), /did not end within 50 ms/);
});

test('reports a program that is not installed', async () => {
  await assert.rejects(run('no-such-program-vitrine', [], { timeoutMs: 1000 }), { code: 'ENOENT' });
});

test('restarts a follower when it exits, and not after it was stopped', async () => {
  const seen = new EventTarget();
  const lines: string[] = [];
  let starts = 0;
  let restarts = 0;
  const stop = follow({
    command: 'sh',
    args: () => ['-c', `echo run ${++starts}`],
    onLine: (line) => {
      lines.push(line);
      if (lines.length === 2) seen.dispatchEvent(new Event('two'));
    },
    onRestart: () => restarts++,
    log,
  });
  // The follower's own timers do not keep the process alive.
  const guard = setTimeout(() => seen.dispatchEvent(new Event('two')), 60_000);
  await once(seen, 'two');
  clearTimeout(guard);
  stop();
  assert.deepEqual(lines, ['run 1', 'run 2']);
  assert.equal(restarts, 1);
});

test('retries a follower that could not be started', async () => {
  const seen = new EventTarget();
  let starts = 0;
  const stop = follow({
    command: 'echo',
    // Node throws for an argument with a NUL, as it does without memory.
    args: () => (++starts === 1 ? ['\0'] : ['here']),
    onLine: (line) => seen.dispatchEvent(new Event(line)),
    log,
  });
  const guard = setTimeout(() => seen.dispatchEvent(new Event('here')), 60_000);
  await once(seen, 'here');
  clearTimeout(guard);
  stop();
  assert.ok(starts >= 2);
});
