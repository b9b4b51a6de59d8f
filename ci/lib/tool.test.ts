import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runTool } from './tool.ts';

test('a tool past its time is killed, and what it leaves running is not waited for', async () => {
  const started = performance.now();
  // The shell's child keeps the output open after the shell is gone.
  const { ok, output } = await runTool('sh', ['-c', 'echo before; sleep 30 & wait'], 300);
  assert.equal(ok, false);
  assert.match(output, /before\n\n?.*SIGKILL/);
  assert.ok(performance.now() - started < 20_000);
});

test('a tool is killed when the run is stopped', async () => {
  const stop = new AbortController();
  const running = runTool('sleep', ['60'], 60_000, undefined, stop.signal);
  stop.abort();
  assert.equal((await running).ok, false);
});
