/**
 * `npm run dev:push`: bundles the agent, copies it into the machine that `npm start -- --dev` runs and restarts it
 * there. Takes seconds, because the image is not rebuilt.
 */
import { stat } from 'node:fs/promises';
import { errorMessage } from '../agent/src/base/system-error.ts';
import { ownerOf } from '../client/virtual-devices.ts';
import { waitFor } from '../testing/wait.ts';
import { machineName, readArguments, requireNoRest } from './lib/arguments.ts';
import { command, Problem } from './lib/problem.ts';
import { pushAgent } from './qemu/development.ts';
import { instancePaths } from './qemu/instance.ts';

const OPTIONS = {
  name: { type: 'string', value: 'NAME', help: 'the machine to update (default: the unnamed one)' },
} as const;
const API_TIMEOUT_MS = 60_000;

await command(async () => {
  const { values, rest } = readArguments('npm run dev:push -- [options]', OPTIONS);
  requireNoRest(rest);
  const name = machineName(values.name);
  const paths = instancePaths(name);
  const owner = await ownerOf(paths.folder);
  if (!owner) throw new Problem(`no machine named "${name}" is running; start it with "npm start -- --dev".`);
  await stat(paths.shell).catch(() => {
    throw new Problem(`"${name}" was started without --dev; start it with "npm start -- --dev".`);
  });
  const started = performance.now();
  await pushAgent(paths).catch((error: unknown) => {
    throw new Problem(`the agent was not updated: ${errorMessage(error)}`);
  });
  await waitFor(async () => (await fetch(`${owner.api}/device`, { signal: AbortSignal.timeout(5000) })).ok, {
    timeoutMs: API_TIMEOUT_MS,
    what: 'the API of the new agent',
  });
  console.log(`vitrine: the new agent answers after ${((performance.now() - started) / 1000).toFixed(1)} s.`);
  return 0;
});
