import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './places.ts';
import { Problem } from './problem.ts';

/** The names of all boards: the folders of `board/` that contain a board.env. */
export function boardNames(): string[] {
  const folder = join(ROOT, 'board');
  return readdirSync(folder)
    .filter((name) => existsSync(join(folder, name, 'board.env')))
    .sort();
}

/** The boards named on a command line, or all boards when none is named. Throws a {@link Problem} on unknown names. */
export function namedBoards(args: string[]): string[] {
  const unknown = args.filter((name) => !boardNames().includes(name));
  if (unknown.length > 0) {
    throw new Problem(`there is no board ${unknown.join(', ')}; the boards are ${boardNames().join(', ')}.`);
  }
  return args.length > 0 ? args : boardNames();
}

/** The board whose root filesystem can be built from packages. */
export const PACKAGES_BOARD = 'virt';

/**
 * A board and how its root filesystem is built, from options that may be missing. Throws a {@link Problem} for an unknown
 * board and for a combination that does not exist.
 */
export function imageKind(
  board: string = PACKAGES_BOARD,
  rootfs: string = board === PACKAGES_BOARD ? 'packages' : 'buildroot',
): { board: string; rootfs: 'packages' | 'buildroot' } {
  if (!boardNames().includes(board)) {
    throw new Problem(`there is no board "${board}"; the boards are ${boardNames().join(', ')}.`);
  }
  if (rootfs !== 'packages' && rootfs !== 'buildroot') {
    throw new Problem(`--rootfs must be packages or buildroot, not "${rootfs}".`);
  }
  if (rootfs === 'packages' && board !== PACKAGES_BOARD) {
    throw new Problem(
      `only ${PACKAGES_BOARD} can be built from packages; ${board} needs --rootfs buildroot.`,
    );
  }
  return { board, rootfs };
}
