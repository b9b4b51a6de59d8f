import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, relative } from 'node:path';
import { test } from 'node:test';
import { ROOT } from './lib/places.ts';

/** Runs a script with this text as an npm script of an ordinary user, without the sbin folders in the PATH. */
function runScript(text: string): { status: number | null; stdout: string } {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine run ')); // a space, as paths may have
  try {
    const file = join(folder, 'script.mjs');
    writeFileSync(file, text);
    const { status, stdout } = spawnSync(
      process.execPath,
      [join(ROOT, 'ci/run.mjs'), relative(ROOT, file), 'an argument'],
      { encoding: 'utf8', timeout: 120_000, env: { ...process.env, PATH: '/usr/bin:/bin' } },
    );
    return { status, stdout };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('a script runs on the pinned Node and finds chroot, even if the PATH lacks the sbin folders', () => {
  const { status, stdout } = runScript(
    'console.log(JSON.stringify([process.env.PATH, process.argv[2], process.version]))',
  );
  assert.equal(status, 0);
  const [path, argument, version]: string[] = JSON.parse(stdout);
  const folders = (path ?? '').split(delimiter);
  assert.equal(folders[0], join(ROOT, 'node_modules/.bin'));
  assert.ok(folders.includes('/usr/sbin'));
  assert.equal(argument, 'an argument');
  assert.match(version ?? '', /^v24\./);
});

test('the exit code of the script is passed on', () => {
  assert.equal(runScript('process.exitCode = 7').status, 7);
});
