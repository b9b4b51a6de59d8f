/**
 * `npm run test:release`: which update bundles devices accept, signing with a token, and whether two builds of the image
 * are identical (`npm test` compares only the root file system). Needs the image and the builder root.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from './lib/places.ts';
import { command } from './lib/problem.ts';
import { close, type Tally } from './lib/tally.ts';
import { setupHost } from './setup.ts';
import { unitTests } from './test-unit.ts';

const CHECKS = ['signing.ts', 'reproducible.ts'];
const ONLY_FULL = ['reproducible-disk.ts'];

/** Runs the checks, or all with `full`; each of their tests counts. `stop` kills them. */
export async function releaseChecks(
  full: boolean,
  print: (text: string) => void,
  stop?: AbortSignal,
): Promise<Tally> {
  const names = full ? [...CHECKS, ...ONLY_FULL] : CHECKS;
  return await unitTests(
    names.map((name) => join(ROOT, 'ci/bundle/checks', name)),
    print,
    { stop },
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await command(async () => {
    await setupHost('test');
    return close(await releaseChecks(true, (text) => process.stdout.write(text)));
  });
}
