import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import * as Type from 'typebox';
import { Value } from 'typebox/value';

const Request = Type.Object({ id: Type.Integer({ minimum: 0 }), command: Type.Unknown() });

/** Models of hardware that obey commands. */
interface Lab {
  /** @returns the result of a command, which can be JSON */
  run(command: unknown): Promise<unknown>;
  /** Ends what would outlive the process. */
  stop(): void;
}

/**
 * The main function of a lab's program in the guest: `node PROGRAM HOST PORT`. It connects to the test (program.ts), which sends a
 * command on each line, and ends with the connection.
 */
export function serveLab(lab: Lab): void {
  const [host = '', port = ''] = process.argv.slice(2);
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
    if (!Value.Check(Request, request)) throw new Error(`not a request: ${line.slice(0, 300)}`);
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
}
