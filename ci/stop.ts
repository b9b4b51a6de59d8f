/** `npm stop`: powers down a machine that `npm start` started. Exits with 0 when no machine is running. */
import { machineName, readArguments, requireNoRest } from './lib/arguments.ts';
import { command } from './lib/problem.ts';
import { runningInstances, stopInstance } from './qemu/instance.ts';

/** Longer than `npm start` gives the device to power itself off. */
const STOP_TIMEOUT_MS = 80_000;

const OPTIONS = {
  name: { type: 'string', value: 'NAME', help: 'the machine to end (default: the unnamed one)' },
  all: { type: 'boolean', help: 'end every machine of this user' },
} as const;

await command(async () => {
  const { values, rest } = readArguments('npm stop -- [options]', OPTIONS);
  requireNoRest(rest);
  const names = values.all ? await runningInstances() : [machineName(values.name)];
  if (names.length === 0) console.log('vitrine: no machine is running.');
  await Promise.all(
    names.map(async (name) => {
      const result = await stopInstance(name, STOP_TIMEOUT_MS);
      if (result === 'none') {
        const others = await runningInstances();
        const hint = others.length > 0 ? ` Running: ${others.join(', ')}.` : '';
        console.log(`vitrine: no machine named "${name}" is running.${hint}`);
      } else if (result === 'stopped') console.log(`vitrine: "${name}" is off.`);
      else console.log(`vitrine: "${name}" did not end in time and was killed.`);
    }),
  );
  return 0;
});
