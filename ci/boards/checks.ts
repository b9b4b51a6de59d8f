/**
 * What must be true of a board's disk and of the files that are rendered for it. Each check reads one thing that
 * another program will read on the device, and compares it with the definitions and with the other things.
 */
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

/** A check of one board and what it found wrong; nothing when it passed. */
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
  'same root when made again': ({ said }) => saidProblems(said, 'root-repeated'),
  'same disk when made again': ({ said }) => saidProblems(said, 'repeated'),
};

/** Every check of one board. */
export function checkBoard(evidence: Evidence): Check[] {
  return Object.entries(CHECKS).map(([name, problemsOf]) => {
    try {
      return { name, problems: problemsOf(evidence) };
    } catch (error) {
      return { name, problems: [error instanceof Error ? error.message : String(error)] };
    }
  });
}

/** What no two boards may have alike: what tells an update for one from an update for the other, and disks apart. */
export function checkTogether(boards: readonly Pick<Evidence, 'board' | 'defined'>[]): Check {
  const problems: string[] = [];
  for (const name of ['COMPATIBLE', 'DISK_UUID', 'BUILDROOT_CONFIG']) {
    const owners = new Map<string, string>();
    for (const { board, defined } of boards) {
      const value = defined.get(name) ?? '';
      const other = owners.get(value);
      if (other !== undefined) problems.push(`${name} of ${board} is ${other}'s too: "${value}"`);
      owners.set(value, board);
    }
  }
  return { name: 'names of their own', problems };
}

/** What post-build.sh leaves in /boot: what the boot script loads, and an initramfs whose programs run. */
function kernelProblems(evidence: Evidence): string[] {
  const files = (evidence.said.get('kernel-files')?.text ?? '').split('\n').filter(Boolean);
  const expected = ['KERNEL_FILE', 'INITRD_FILE'].map((name) =>
    textOf(evidence, name).replace(/^\/boot/, '.'),
  );
  return [
    ...differs('/boot', files.sort().join(' '), expected.sort().join(' ')),
    ...saidProblems(evidence.said, 'busybox'),
    ...saidProblems(evidence.said, 'shared-busybox'),
    ...saidProblems(evidence.said, 'two-kernels'),
  ];
}

function saidProblems(said: Evidence['said'], name: string): string[] {
  const { ok, text } = said.get(name) ?? { ok: false, text: 'it was not run' };
  return ok ? [] : [`${name}: ${text.trim()}`];
}
