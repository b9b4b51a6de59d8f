/** `npm run types`: type-checks every tsconfig.json of the project. */
import { fileURLToPath } from 'node:url';
import { command } from './lib/problem.ts';
import { close, FAILED, PASSED, sum, type Tally } from './lib/tally.ts';
import { projectFiles, runTool } from './lib/tool.ts';

const TIMEOUT_MS = 10 * 60_000;
/** With the default of four, each checker resolves most types again, which nearly doubles the processor time. */
const CHECKERS = '1';

/** Each tsconfig.json counts as one test. */
export async function types(print: (text: string) => void): Promise<Tally> {
  const tallies: Tally[] = [];
  for (const config of await projectFiles('*tsconfig.json')) {
    const { ok, output } = await runTool(
      'tsc',
      ['-p', config, '--pretty', 'false', '--checkers', CHECKERS],
      TIMEOUT_MS,
    );
    print(ok ? `ok      types of ${config}\n` : `FAILED  types of ${config}\n${output}\n`);
    tallies.push(ok ? PASSED : FAILED);
  }
  return sum(tallies);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await command(async () => close(await types((text) => process.stdout.write(text))));
}
