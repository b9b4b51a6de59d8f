import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bootsKernel } from './acceleration.ts';
import type { Program, Qemu } from './program.ts';

/** A shell script in place of QEMU. `$log` is the file of the serial console. */
function qemu(script: string): Qemu {
  const readLog = 'log=$(printf "%s\\n" "$@" | sed -n "s/^file://p")';
  const system: Program = { file: '/bin/sh', args: ['-c', `${readLog}; ${script}`, 'sh'], env: process.env };
  return { version: '11.1.2', system, image: system };
}

const NEVER_ENDS = 'exec sleep 600';
const LONG_MS = 300_000;

test('a kernel that reaches its panic works', async () => {
  const panics = 'echo "Kernel panic - not syncing: VFS: Unable to mount root fs" >"$log"';
  assert.equal((await bootsKernel(qemu(panics), 'vmlinuz', [])).works, true);
  assert.equal((await bootsKernel(qemu(`${panics}; exit 1`), 'vmlinuz', [])).works, false);
});

test('an error of KVM is the reason, although QEMU goes on with a stopped machine', {
  timeout: 60_000,
}, async () => {
  const fails = `echo "KVM internal error. Suberror: 1" >&2; ${NEVER_ENDS}`;
  assert.deepEqual(await bootsKernel(qemu(fails), 'vmlinuz', [], LONG_MS), {
    works: false,
    reason: 'KVM internal error. Suberror: 1',
  });
});

test('a kernel that does not reach its end is stopped', async () => {
  assert.deepEqual(await bootsKernel(qemu(NEVER_ENDS), 'vmlinuz', [], 200), {
    works: false,
    reason: 'a probe kernel did not run to its end in 0.2 s',
  });
});
