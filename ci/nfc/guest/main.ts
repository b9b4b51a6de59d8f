/** The program of the NFC lab in the guest. Its commands are those of commands.ts. */
import { Value } from 'typebox/value';
import { serveLab } from '../../lab/guest/serve.ts';
import { LabCommand } from './commands.ts';
import { Lab } from './lab.ts';

const lab = new Lab();
serveLab({
  run: async (command) => {
    if (!Value.Check(LabCommand, command)) throw new Error(`not a command: ${JSON.stringify(command)}`);
    return await lab.run(command);
  },
  stop: () => lab.stop(),
});
