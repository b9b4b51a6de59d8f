import { spawnSync } from 'node:child_process';
import { Problem } from '../lib/problem.ts';

export const QEMU = 'qemu-system-x86_64';

/** QEMU's version, for example `7.2.22`. Throws a {@link Problem} when it is not installed or too old. */
export function qemuVersion(): string {
  const { error, stdout } = spawnSync(QEMU, ['--version'], { encoding: 'utf8', timeout: 30_000 });
  if (error)
    throw new Problem(`${QEMU} was not found. Install it: sudo apt-get install qemu-system-x86 qemu-utils`);
  const version = /version (\d+\.\d+\S*)/.exec(stdout)?.[1];
  if (!version) throw new Problem(`${QEMU} does not print its version (${stdout.trim().slice(0, 100)}).`);
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < 7 || (major === 7 && minor < 1)) {
    throw new Problem(
      `QEMU 7.1 or newer is needed, this is ${version}. Debian 12 and Ubuntu 24.04 carry it.`,
    );
  }
  return version;
}

/** Whether this QEMU can open a window (package qemu-system-gui on Debian). */
export function hasWindow(): boolean {
  const { stdout } = spawnSync(QEMU, ['-display', 'help'], { encoding: 'utf8', timeout: 30_000 });
  return /^gtk$/m.test(stdout ?? '');
}
