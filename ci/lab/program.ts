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

const COMMAND_MS = 60_000;
const START_MS = 90_000;

const Answer = Type.Object({
  id: Type.Integer(),
  result: Type.Optional(Type.Unknown()),
  error: Type.Optional(Type.String()),
});
type Answer = Type.Static<typeof Answer>;

/** What a program of a lab is. */
export interface LabProgramOptions {
  /** Of its unit and its files: letters and hyphens. */
  name: string;
  /** The TypeScript file that is run in the guest. */
  entry: URL;
  /** Threads for blocking calls. Each device and each waiting transfer holds one. */
  threads: number;
}

/**
 * A program for the guest as one file.
 * @param external packages that the guest has, with native code. Only `require`, in a file of the format `cjs`, finds them by
 *   NODE_PATH.
 */
export async function bundleForGuest(
  entry: URL,
  { format = 'esm', external = [] }: { format?: 'esm' | 'cjs'; external?: string[] } = {},
): Promise<Buffer> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(entry)],
    bundle: true,
    write: false,
    platform: 'node',
    format,
    external,
    target: 'node24',
    logLevel: 'warning',
  });
  const [file] = outputFiles;
  if (!file) throw new Error(`nothing was made of ${entry.pathname}`);
  return Buffer.from(file.contents);
}

/**
 * The running program of a lab in the guest: models of hardware. It connects to this process, and ends when the connection does.
 * Its commands are of the type `Command`.
 */
export class LabProgram<Command extends { do: string }> {
  readonly #name: string;
  /** Folder of the lab's files, in the device's memory. */
  readonly folder: string;
  readonly #server: Server;
  readonly #socket: Socket;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #lastId = 0;

  /** Copies the program into the device's memory and starts it. */
  static async start<Command extends { do: string }>(
    shell: GuestShell,
    { name, entry, threads }: LabProgramOptions,
  ): Promise<LabProgram<Command>> {
    const folder = `/run/${name}`;
    const program = `${folder}/${name}.mjs`;
    await served(await bundleForGuest(entry), (url) =>
      shell.ok(`mkdir -p ${folder} && busybox wget -q -O ${program} ${url}`, COMMAND_MS),
    );
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const address = server.address();
      if (typeof address !== 'object' || !address) throw new Error('the lab’s server has no address');
      const connected = once(server, 'connection');
      await shell.ok(
        `systemd-run --quiet --collect --unit=${name} -E UV_THREADPOOL_SIZE=${threads} \
          node ${program} ${HOST_ADDRESS} ${address.port}`,
        COMMAND_MS,
      );
      const [socket]: Socket[] = await within(connected, START_MS, `the program ${name}`);
      if (!socket) throw new Error('unreachable');
      return new LabProgram<Command>(name, folder, server, socket);
    } catch (error) {
      server.close();
      throw error;
    }
  }

  private constructor(name: string, folder: string, server: Server, socket: Socket) {
    this.#name = name;
    this.folder = folder;
    this.#server = server;
    this.#socket = socket.setNoDelay(true);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      for (const settle of this.#waiting.values()) settle({ id: 0, error: `the program ${name} has ended` });
    });
    createInterface({ input: socket }).on('line', (line) => {
      const answer: unknown = JSON.parse(line);
      if (Value.Check(Answer, answer)) this.#waiting.get(answer.id)?.(answer);
    });
  }

  /** Runs a command and gives its result. */
  async run(command: Command): Promise<unknown> {
    const id = ++this.#lastId;
    const { promise, resolve } = Promise.withResolvers<Answer>();
    this.#waiting.set(id, resolve);
    try {
      this.#socket.write(`${JSON.stringify({ id, command })}\n`);
      const { result, error } = await within(
        promise,
        COMMAND_MS,
        `the program ${this.#name} to do ${command.do}`,
      );
      if (error !== undefined)
        throw new Error(`the program ${this.#name} could not do ${command.do}: ${error}`);
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
      `systemctl stop ${this.#name} 2>/dev/null
      for try in $(seq 100); do
        [ "$(systemctl show -P LoadState ${this.#name})" = not-found ] && exit 0
        systemctl reset-failed ${this.#name} 2>/dev/null; sleep 0.1
      done; exit 1`,
      COMMAND_MS,
    );
  }
}
