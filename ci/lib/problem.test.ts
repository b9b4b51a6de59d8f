import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { refusal } from './problem.ts';

/** Runs a process that passes `body` to `command`. */
function runCommand(body: string): { status: number | null; stderr: string } {
  const module = JSON.stringify(join(import.meta.dirname, 'problem.ts'));
  const text = `const { command, Problem } = await import(${module});
    const fs = await import('node:fs');
    await command(async () => { ${body} });`;
  const args = ['--input-type=module', '-e', text];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 60_000 });
  return { status, stderr };
}

test('a Problem is printed as one sentence, with exit code 1', () => {
  assert.deepEqual(runCommand("throw new Problem('no room.');"), {
    status: 1,
    stderr: '\nvitrine: no room.\n',
  });
});

test('the message about a folder that cannot be written names it and has no stack trace', () => {
  const { status, stderr } = runCommand("fs.mkdirSync('/dev/null/vitrine', { recursive: true });");
  assert.equal(status, 1);
  assert.match(stderr, /^\nvitrine: .*\/dev\/null\/vitrine.*VITRINE_CACHE/);
  assert.doesNotMatch(stderr, /^\s+at /m);
});

test('a program error is printed with its stack trace', () => {
  const { status, stderr } = runCommand("throw new Error('odd');");
  assert.equal(status, 1);
  assert.match(stderr, /Error: odd\n\s+at /);
  assert.equal(refusal(new Error('odd')), undefined);
  assert.throws(
    () => mkdirSync(import.meta.filename),
    (error) => refusal(error) === undefined,
  );
});
