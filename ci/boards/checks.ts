/**
 * The checks of a board's disk and of the files rendered for it. Each check reads a file as the program that uses it on
 * the device will read it, and compares it with the definitions and with the other files.
 */

import { errorMessage } from '../../agent/src/base/system-error.ts';
import { bootScriptProblems } from './boot-script.ts';
import { differs, textOf } from './defined.ts';
import type { Evidence } from './evidence.ts';
import {
  boardFileProblems,
  environmentProblems,
  firmwareProblems,
  fstabProblems,
  raucProblems,
} from './files.ts';
import { memoryProblems } from './memory.ts';
import { tableProblems } from './table.ts';

/** A check of one board and the problems that it found; it passed when there are none. */
export interface Check {
  name: string;
  problems: string[];
}

const CHECKS: Readonly<Record<string, (evidence: Evidence) => string[]>> = {
  'partition table': tableProblems,
  'boot script': bootScriptProblems,
  'memory of the boot script': memoryProblems,
  'RAUC configuration': raucProblems,
  'U-Boot environment': environmentProblems,
  fstab: fstabProblems,
  'board.json': boardFileProblems,
  'files of the firmware': firmwareProblems,
  'kernel and initramfs': kernelProblems,
  'same root when made again': ({ programs }) => programProblems(programs, 'root-repeated'),
  'same disk when made again': ({ programs }) => programProblems(programs, 'repeated'),
};

/** Every check of one board. */
export function checkBoard(evidence: Evidence): Check[] {
  return Object.entries(CHECKS).map(([name, problemsOf]) => {
    try {
      return { name, problems: problemsOf(evidence) };
    } catch (error) {
      return { name, problems: [errorMessage(error)] };
    }
  });
}

/** Checks that no two boards share a name or id: update bundles and disks of different boards must not be confused. */
export function checkTogether(boards: readonly Pick<Evidence, 'board' | 'defined'>[]): Check {
  const problems: string[] = [];
  for (const name of ['COMPATIBLE', 'DISK_UUID', 'BUILDROOT_CONFIG']) {
    const owners = new Map<string, string>();
    for (const { board, defined } of boards) {
      const value = defined.get(name) ?? '';
      const other = owners.get(value);
      if (other !== undefined) problems.push(`${name} of ${board} is also that of ${other}: "${value}"`);
      owners.set(value, board);
    }
  }
  return { name: 'unique names', problems };
}

/** Checks what post-build.sh puts into /boot: the files that the boot script loads, and an initramfs that works. */
function kernelProblems(evidence: Evidence): string[] {
  const files = (evidence.programs.get('kernel-files')?.text ?? '').split('\n').filter(Boolean);
  const expected = ['KERNEL_FILE', 'INITRD_FILE'].map((name) =>
    textOf(evidence, name).replace(/^\/boot/, '.'),
  );
  return [
    ...differs('/boot', files.sort().join(' '), expected.sort().join(' ')),
    ...programProblems(evidence.programs, 'busybox'),
    ...programProblems(evidence.programs, 'shared-busybox'),
    ...programProblems(evidence.programs, 'two-kernels'),
  ];
}

function programProblems(programs: Evidence['programs'], name: string): string[] {
  const { ok, text } = programs.get(name) ?? { ok: false, text: 'it was not run' };
  return ok ? [] : [`${name}: ${text.trim()}`];
}
