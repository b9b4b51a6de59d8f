/** Every command, and the one about the command line itself. */
import { type Defined, define } from './command.ts';
import { COMMANDS } from './commands.ts';
import { COMPLETIONS, completionFor } from './completion.ts';
import { LIVE_COMMANDS } from './live-commands.ts';
import { peripherals } from './peripherals-command.ts';

const completion = define({
  name: 'completion',
  args: COMPLETIONS.join('|'),
  help: 'Print what a shell needs to complete these commands: source <(vitrine completion bash)',
  count: [1, 1],
  run: async (_context, _values, [kind = '']) => {
    process.stdout.write(completionFor(kind, ALL_COMMANDS));
  },
});

export const ALL_COMMANDS: readonly Defined[] = [...COMMANDS, peripherals, ...LIVE_COMMANDS, completion];
