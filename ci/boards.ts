/**
 * `npm run test:boards [-- BOARD…]`, a stage of `npm test`: builds every board's disk image from small dummy files with
 * the scripts that build the real one, reads it back and compares it with the configuration files that are rendered for
 * the device. Needs the image's builder root, but neither Buildroot nor an emulator.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { errorMessage } from '../agent/src/base/system-error.ts';
import { type Check, checkBoard, checkTogether } from './boards/checks.ts';
import { type Evidence, readEvidence } from './boards/evidence.ts';
import { runInBuilder } from './image/builder.ts';
import { boardNames, namedBoards } from './lib/board-names.ts';
import { command } from './lib/problem.ts';
import { close, FAILED, PASSED, sum, type Tally } from './lib/tally.ts';
import { setupHost } from './setup.ts';

const COLLECT_ALL = 'for board; do /src/ci/boards/collect.sh /src/board "$board" "/out/$board"; done';

/** Checks the named boards (default: all). Every check of every board counts as one test. */
export async function boards(print: (text: string) => void, names = boardNames()): Promise<Tally> {
  const out = mkdtempSync(join(tmpdir(), 'vitrine-boards-'));
  try {
    await runInBuilder(out, ['sh', '-euc', COLLECT_ALL, 'sh', ...names]);
    const read: Evidence[] = [];
    const tallies: Tally[] = [];
    const report = (check: Check): void => {
      const ok = check.problems.length === 0;
      print(`${ok ? 'ok     ' : 'FAILED '} ${check.name}\n`);
      for (const problem of check.problems) print(`          ${problem.replaceAll('\n', '\n          ')}\n`);
      tallies.push(ok ? PASSED : FAILED);
    };
    for (const board of names) {
      try {
        const evidence = readEvidence(board, join(out, board));
        read.push(evidence);
        for (const { name, problems } of checkBoard(evidence))
          report({ name: `${board}: ${name}`, problems });
      } catch (error) {
        report({ name: `${board}: building its disk image`, problems: [errorMessage(error)] });
      }
    }
    report(checkTogether(read));
    return sum(tallies);
  } finally {
    rmSync(out, { recursive: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await command(async () => {
    await setupHost('build');
    return close(await boards((text) => process.stdout.write(text), namedBoards(process.argv.slice(2))));
  });
}
