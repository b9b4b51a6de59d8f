import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { within } from '../../testing/wait.ts';
import { HOST_ADDRESS } from '../qemu/arguments.ts';
import { served } from '../qemu/served.ts';
import type { GuestShell } from '../qemu/shell.ts';
import type { LabCommand } from './guest/commands.ts';

/** Folder of the lab's files, in the device's memory. */
export const FOLDER = '/run/nfc-lab';
const UNIT = 'nfc-lab';
const PROGRAM = `${FOLDER}/nfc-lab.mjs`;
const COMMAND_MS = 60_000;
const START_MS = 90_000;
/** Each device and each waiting transfer holds a thread. */
const THREADS = 16;

const Answer = Type.Object({
  id: Type.Integer(),
  result: Type.Optional(Type.Unknown()),
  error: Type.Optional(Type.String()),
});
type Answer = Type.Static<typeof Answer>;

/** A program for the guest as one file. */
export async function bundleForGuest(entry: URL): Promise<Buffer> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(entry)],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    logLevel: 'warning',
  });
  const [file] = outputFiles;
  if (!file) throw new Error(`nothing was made of ${entry.pathname}`);
  return Buffer.from(file.contents);
}

/** The running program of the lab in the guest. It connects to this process, and ends when the connection does. */
export class LabProgram {
  readonly #server: Server;
  readonly #socket: Socket;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #lastId = 0;

  /** Copies the program into the device's memory and starts it. */
  static async start(shell: GuestShell): Promise<LabProgram> {
    await served(await bundleForGuest(new URL('./guest/main.ts', import.meta.url)), (url) =>
      shell.ok(`mkdir -p ${FOLDER} && busybox wget -q -O ${PROGRAM} ${url}`, COMMAND_MS),
    );
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const address = server.address();
      if (typeof address !== 'object' || !address) throw new Error('the lab’s server has no address');
      const connected = once(server, 'connection');
      await shell.ok(
        `systemd-run --quiet --collect --unit=${UNIT} -E UV_THREADPOOL_SIZE=${THREADS} \
          node ${PROGRAM} ${HOST_ADDRESS} ${address.port}`,
        COMMAND_MS,
      );
      const [socket]: Socket[] = await within(connected, START_MS, 'the program of the NFC lab');
      if (!socket) throw new Error('unreachable');
      return new LabProgram(server, socket);
    } catch (error) {
      server.close();
      throw error;
    }
  }

  private constructor(server: Server, socket: Socket) {
    this.#server = server;
    this.#socket = socket.setNoDelay(true);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      for (const settle of this.#waiting.values()) settle({ id: 0, error: 'the NFC lab has ended' });
    });
    createInterface({ input: socket }).on('line', (line) => {
      const answer: unknown = JSON.parse(line);
      if (Value.Check(Answer, answer)) this.#waiting.get(answer.id)?.(answer);
    });
  }

  /** Runs a command and gives its result. */
  async run(command: LabCommand): Promise<unknown> {
    const id = ++this.#lastId;
    const { promise, resolve } = Promise.withResolvers<Answer>();
    this.#waiting.set(id, resolve);
    try {
      this.#socket.write(`${JSON.stringify({ id, command })}\n`);
      const { result, error } = await within(promise, COMMAND_MS, `the NFC lab to do ${command.do}`);
      if (error !== undefined) throw new Error(`the NFC lab could not do ${command.do}: ${error}`);
      return result;
    } finally {
      this.#waiting.delete(id);
    }
  }

  /** Ends the program, and waits until it is gone. It may already be. */
  async stop(shell: GuestShell): Promise<void> {
    this.#socket.destroy();
    this.#server.close();
    await shell.ok(
      `systemctl stop ${UNIT} 2>/dev/null
      for try in $(seq 100); do
        [ "$(systemctl show -P LoadState ${UNIT})" = not-found ] && exit 0
        systemctl reset-failed ${UNIT} 2>/dev/null; sleep 0.1
      done; exit 1`,
      COMMAND_MS,
    );
  }
}
