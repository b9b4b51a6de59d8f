import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { waitFor } from '../../../testing/wait.ts';
import { CommandError, run } from './run.ts';

const WAIT_MS = 20_000;
const skip = process.getuid?.() !== 0 && 'needs root';

/** Whether a process runs whose command line names `text`. */
function runs(text: string): boolean {
  return readdirSync('/proc').some((entry) => {
    if (!/^\d+$/.test(entry)) return false;
    try {
      return readFileSync(`/proc/${entry}/cmdline`, 'utf8').includes(text);
    } catch {
      return false; // it has ended
    }
  });
}

for (const isolated of [false, true]) {
  test(`a command ends with the build that started it, isolated: ${isolated}`, { skip }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'vitrine-run-'));
    const file = join(folder, 'ticks');
    // The shell ignores SIGTERM, as unshare does.
    const script = `trap '' TERM; ${isolated ? `mount -t tmpfs none ${folder}/root;` : ''}
      while true; do echo >>${file}; sleep 0.1; done`;
    const source = `import { run } from ${JSON.stringify(join(import.meta.dirname, 'run.ts'))};
      import { mkdirSync } from 'node:fs';
      mkdirSync(${JSON.stringify(join(folder, 'root'))});
      await run('sh', ['-c', ${JSON.stringify(script)}], { isolated: ${isolated} });`;
    const build = spawn(process.execPath, ['--input-type=module-typescript', '-e', source], {
      stdio: 'ignore',
    });
    await waitFor(() => existsSync(file), { timeoutMs: WAIT_MS, what: 'the command to start' });
    assert.ok(runs(file));
    build.kill('SIGKILL');
    await once(build, 'close');
    await waitFor(() => !runs(file), { timeoutMs: WAIT_MS, what: 'the command of a killed build to end' });
    assert.ok(!readFileSync('/proc/self/mounts', 'utf8').includes(folder), 'no mount is left');
    rmSync(folder, { recursive: true });
  });
}

test('an isolated command is killed at its timeout, with everything it started', { skip }, async () => {
  const endless = run('sh', ['-c', 'sleep 300 & sleep 300'], { isolated: true, timeoutMinutes: 0.01 });
  await assert.rejects(endless, (error) => error instanceof CommandError && /SIGKILL/.test(error.message));
});
