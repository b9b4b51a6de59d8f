/** Runs functions of the initramfs's script on files of this computer. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../lib/places.ts';

/** The text of the script, rendered for the board virt. */
export async function initScript(): Promise<string> {
  const show = join(ROOT, 'board/common/show.sh');
  const { stdout } = await promisify(execFile)('sh', [show, 'virt', 'initramfs/init'], { timeout: 30_000 });
  return stdout;
}

/** The text of a shell function in the script. */
export function definition(script: string, name: string): string {
  const start = script.indexOf(`\n${name}() {\n`);
  const end = script.indexOf('\n}\n', start);
  assert.ok(start > 0 && end > 0, `the script defines ${name}`);
  return script.slice(start, end + 3);
}

/** Writes files of `$sysfs`, the folder `sysfs` of `folder`, for a block device, which scripts name relative to `/dev`. */
export async function describeDevice(
  folder: string,
  device: string,
  files: Record<string, number>,
): Promise<void> {
  for (const [name, value] of Object.entries(files)) {
    const file = join(folder, 'sysfs', relative('/dev', device), name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, `${value}\n`);
  }
}

/** Runs a shell script with the partition as its argument and returns its output. */
export function shell(partition: string, script: string): string {
  const { stdout, stderr, status } = spawnSync('sh', ['-c', script, 'init', relative('/dev', partition)], {
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
  return stdout;
}
