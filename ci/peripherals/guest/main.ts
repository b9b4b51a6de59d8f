/** The program of the peripherals lab in the guest. Its commands are those of commands.ts. */
import { Value } from 'typebox/value';
import { serveLab } from '../../lab/guest/serve.ts';
import { PeripheralCommand } from './commands.ts';
import { Lab } from './lab.ts';

const lab = new Lab();
serveLab({
  run: async (command) => {
    if (!Value.Check(PeripheralCommand, command))
      throw new Error(`not a command: ${JSON.stringify(command)}`);
    return await lab.run(command);
  },
  stop: () => lab.stop(),
});
