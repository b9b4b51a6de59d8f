/**
 * The program of the NFC lab in the guest: `node nfc-lab.mjs HOST PORT`. It connects to the test, which sends a command on
 * each line (commands.ts), and ends with the connection.
 */
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { Value } from 'typebox/value';
import { LabRequest } from './commands.ts';
import { Lab } from './lab.ts';

const [host = '', port = ''] = process.argv.slice(2);
const lab = new Lab();
const socket = connect(Number(port), host).setNoDelay(true);

function end(): void {
  try {
    lab.stop();
  } finally {
    // At once: threads that wait in the kernel would keep the process alive.
    process.kill(process.pid, 'SIGKILL');
  }
}

async function answer(line: string): Promise<void> {
  const request: unknown = JSON.parse(line);
  if (!Value.Check(LabRequest, request)) throw new Error(`not a command: ${line.slice(0, 300)}`);
  const { id, command } = request;
  try {
    socket.write(`${JSON.stringify({ id, result: (await lab.run(command)) ?? null })}\n`);
  } catch (error) {
    socket.write(`${JSON.stringify({ id, error: String(error) })}\n`);
  }
}

socket.on('error', end).on('close', end);
process.on('SIGTERM', end);
let last: Promise<void> = Promise.resolve();
createInterface({ input: socket }).on('line', (line) => {
  last = last
    .then(() => answer(line))
    .catch((error: unknown) => {
      console.error(error);
      end();
    });
});
