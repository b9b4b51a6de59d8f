/** `npm stop`: powers a machine down that `npm start` started; says so and ends with 0 when none runs. */
import { machineName, readArguments } from './lib/arguments.ts';
import { command } from './lib/problem.ts';
import { runningInstances, stopInstance } from './qemu/instance.ts';

/** Longer than the owner of the machine gives the device to power itself off. */
const STOP_TIMEOUT_MS = 80_000;

const OPTIONS = {
  name: { type: 'string', value: 'NAME', help: 'the machine to end (the one without a name)' },
  all: { type: 'boolean', help: 'end every machine of this user' },
} as const;

await command(async () => {
  const { values } = readArguments('npm stop -- [options]', OPTIONS);
  const names = values.all ? await runningInstances() : [machineName(values.name)];
  if (names.length === 0) console.log('vitrine: no machine runs.');
  await Promise.all(
    names.map(async (name) => {
      const result = await stopInstance(name, STOP_TIMEOUT_MS);
      if (result === 'none') {
        const others = await runningInstances();
        const hint = others.length > 0 ? ` Running: ${others.join(', ')}.` : '';
        console.log(`vitrine: no machine named "${name}" runs.${hint}`);
      } else if (result === 'stopped') console.log(`vitrine: "${name}" is off.`);
      else console.log(`vitrine: "${name}" did not end in time and was killed.`);
    }),
  );
  return 0;
});
