import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { waitFor } from '../../testing/wait.ts';
import { runTool } from './tool.ts';

/** Whether a process is running; a zombie is not. */
async function isAlive(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return stat !== '' && !/\) Z /.test(stat);
}

test('a tool is killed at its time limit, and processes that it leaves behind are not waited for', async () => {
  // The shell's child keeps the output open for ten minutes after the shell is gone.
  const script = 'sleep 600 & echo "$!"; wait';
  const { ok, output } = await runTool('sh', ['-c', script], 3000);
  const left = Number(/^\d+/.exec(output)?.[0]);
  try {
    assert.equal(ok, false);
    assert.match(output, /^\d+\n\n?.*SIGKILL/);
    assert.ok(await isAlive(left), 'it was waited for, or ended');
  } finally {
    if (left > 1) process.kill(left, 'SIGKILL');
  }
});

test('a tool is killed when the process that runs it exits', async () => {
  const module = JSON.stringify(new URL('tool.ts', import.meta.url).href);
  const script = `
      const { runTool } = await import(${module});
      void runTool('sh', ['-c', 'echo $$; exec sleep 60'], 60_000, (chunk) => {
        process.stdout.write(chunk);
        process.exit(0);
      });`;
  const { ok, output } = await runTool(process.execPath, ['--input-type=module', '-e', script], 30_000);
  assert.ok(ok, output);
  const pid = Number(output);
  assert.ok(pid > 0, output);
  await waitFor(async () => !(await isAlive(pid)), { timeoutMs: 60_000, what: 'the tool to be gone' });
});
