import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { removeLeftovers } from './leftovers.ts';

test('leftovers of dead test runs are removed; files of running or other processes stay', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-leftovers-'));
  try {
    const dead = spawnSync('true').pid;
    for (const name of [
      `test-${dead}-2`,
      `test-start-qemu-${dead}`,
      `test-cuts-b-${dead}`,
      `test-${process.pid}-1`,
      `kept-${dead}`,
    ]) {
      await mkdir(join(folder, name));
      await writeFile(join(folder, name, 'console.log'), '');
    }
    for (const pid of [dead, process.pid]) await writeFile(join(folder, `test-${pid}-1.qcow2`), '');
    await writeFile(join(folder, `test-cuts-a-${dead}.img`), '');
    await writeFile(join(folder, `test-${dead}-3.ext4`), '');
    await removeLeftovers(folder);
    assert.deepEqual(
      (await readdir(folder)).sort(),
      [`kept-${dead}`, `test-${process.pid}-1`, `test-${process.pid}-1.qcow2`].sort(),
    );
    await removeLeftovers(join(folder, 'absent'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
