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
