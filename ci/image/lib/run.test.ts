import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandError, run } from './run.ts';

const skip = process.getuid?.() !== 0 && 'needs root';

/** Waits until the file of `folder` does not grow for a second; 20 s at most. */
async function writingEnds(file: string): Promise<void> {
  const size = (): number => readFileSync(file).length;
  for (let attempt = 0, last = -1; attempt < 20; attempt += 1, await sleep(1000)) {
    if (size() === last) return;
    last = size();
  }
  assert.fail('the command of a killed build is still writing');
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
    for (let attempt = 0; !existsSync(file); attempt += 1) {
      assert.ok(attempt < 200, 'the command started');
      await sleep(50);
    }
    build.kill('SIGKILL');
    await once(build, 'close');
    await writingEnds(file);
    assert.ok(!readFileSync('/proc/self/mounts', 'utf8').includes(folder), 'no mount is left');
    rmSync(folder, { recursive: true });
  });
}

test('an isolated command is killed at its timeout, with everything it started', { skip }, async () => {
  const endless = run('sh', ['-c', 'sleep 300 & sleep 300'], { isolated: true, timeoutMinutes: 0.01 });
  await assert.rejects(endless, (error) => error instanceof CommandError && /SIGKILL/.test(error.message));
});
