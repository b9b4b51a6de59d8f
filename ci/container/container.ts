import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { errorMessage } from '../../agent/src/base/system-error.ts';
import { within } from '../../testing/wait.ts';
import { ROOT } from '../lib/places.ts';
import { Problem } from '../lib/problem.ts';
import type { Credential, DeviceEnd, VirtualDevice } from '../lib/virtual-device.ts';
import { forwardPort } from './slirp.ts';

const HERE = join(ROOT, 'ci/container');
const CREDENTIALS = join(HERE, 'credentials');
/** Time limit for everything to end after its first process was told so. */
const END_TIMEOUT_MS = 10_000;
const FIRST_VNC_PORT = 5900;
const VNC_PORTS = 200;

/** What may differ between containers. */
export interface ContainerSettings {
  /** Folder of the running container, for sockets and logs. */
  folder: string;
  /** The image's root file system, an ext4 file. */
  rootfs: string;
  /** The data partition, an ext4 file; created if it does not exist. */
  data: string;
  /** Root file system with programs that look at the screen. */
  viewer: string;
  /** `console.log` in the folder: what the device and container.sh print. */
  console: string;
  /** Port on 127.0.0.1 that is forwarded to the device's port 80. */
  apiPort: number;
  /** Port on 127.0.0.1 that is forwarded to the device's port 443. */
  httpsPort: number;
  /** The device's serial number. */
  serialNumber: string;
  /** More systemd credentials. */
  credentials?: Credential[];
  /** Command prefix that runs a program as root; empty for root. */
  asRoot: string[];
}

/** The credentials by which the image is adapted to a container. The name of each file is the name of its credential. */
async function containerCredentials(): Promise<Credential[]> {
  const names = (await readdir(CREDENTIALS)).sort();
  return names.map((name) => ({ name, file: join(CREDENTIALS, name) }));
}

/** A device whose system runs on this computer's kernel, in a container of systemd-nspawn (container.sh). */
export class Container implements VirtualDevice {
  readonly settings: ContainerSettings;
  readonly startedAt: number;
  readonly ended: Promise<DeviceEnd>;
  readonly #child: ChildProcess;
  readonly #restartListeners = new Set<() => void>();
  #end: DeviceEnd | undefined;
  #vnc: { server: Server; port: number } | undefined;

  /**
   * Starts the device and forwards its ports.
   * @throws Problem when the container does not start
   */
  static async start(settings: ContainerSettings): Promise<Container> {
    const links = join(settings.folder, 'links');
    await mkdir(links, { recursive: true });
    await symlink('links/shell.sock', join(settings.folder, 'shell.sock'));
    await writeFile(join(links, 'serial'), `${settings.serialNumber}\n`);
    const credentials = [...(await containerCredentials()), ...(settings.credentials ?? [])];
    const log = await open(settings.console, 'a');
    const startedAt = performance.now();
    const [program = 'sh', ...args] = [
      ...settings.asRoot,
      'sh',
      join(HERE, 'container.sh'),
      settings.folder,
      settings.rootfs,
      settings.data,
      `--bind-ro=${settings.viewer}:/run/vitrine-viewer`,
      ...credentials.map(({ name, file }) => `--load-credential=${name}:${file}`),
      '--boot',
      '--',
      '--show-status=0',
    ];
    // Its own process group, so that Ctrl-C does not reach it: the owner powers the device down.
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', log.fd], detached: true });
    await log.close();
    const container = new Container(settings, child, startedAt);
    try {
      const died = container.ended.then(async () => {
        throw new Problem(`the container did not start: ${await container.#lastWords()}`);
      });
      const socket = join(settings.folder, 'slirp.sock');
      const forward = async (): Promise<void> => {
        await forwardPort(socket, settings.apiPort, 80);
        await forwardPort(socket, settings.httpsPort, 443);
      };
      await Promise.race([forward(), died]);
      died.catch(() => undefined);
      return container;
    } catch (error) {
      await container.quit();
      throw error instanceof Problem ? error : new Problem(explain(errorMessage(error)));
    }
  }

  private constructor(settings: ContainerSettings, child: ChildProcess, startedAt: number) {
    this.settings = settings;
    this.startedAt = startedAt;
    this.#child = child;
    this.ended = once(child, 'close')
      .catch(() => undefined) // the program could not be started
      .then((): DeviceEnd => ({ code: child.exitCode, signal: child.signalCode }));
    void this.ended.then((end) => {
      this.#end = end;
      this.#vnc?.server.close();
    });
    // It ends while a command is written.
    child.stdin?.on('error', () => undefined);
    if (child.stdout) {
      createInterface(child.stdout).on('line', (line) => {
        if (line === 'rebooting') for (const listener of this.#restartListeners) listener();
      });
    }
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get running(): boolean {
    return this.#end === undefined;
  }

  get seconds(): number {
    return (performance.now() - this.startedAt) / 1000;
  }

  onRestart(listener: () => void): () => void {
    this.#restartListeners.add(listener);
    return () => this.#restartListeners.delete(listener);
  }

  async vncAddress(): Promise<string | undefined> {
    this.#vnc ??= await listenOnFirst(join(this.settings.folder, 'links/vnc.sock'));
    return `127.0.0.1:${this.#vnc.port}`;
  }

  /** Kills all of the device's processes at once and starts it again. */
  reset(): void {
    this.#child.stdin?.write('reset\n');
  }

  async powerDown(timeoutMs: number): Promise<boolean> {
    if (!this.running) return true;
    try {
      this.#child.stdin?.write('poweroff\n');
      await within(this.ended, timeoutMs, 'the device to power itself off');
      return true;
    } catch {
      await this.quit();
      return false;
    }
  }

  async quit(): Promise<void> {
    this.#child.stdin?.end();
    await within(this.ended, END_TIMEOUT_MS, 'the container to end').catch(() => {
      this.#child.kill('SIGKILL');
    });
  }

  async #lastWords(): Promise<string> {
    const { folder } = this.settings;
    const texts = await Promise.all(
      ['slirp.log', 'console.log'].map((name) => readFile(join(folder, name), 'utf8').catch(() => '')),
    );
    return texts.join('\n').trim().split('\n').slice(-5).join(' ') || 'no error message';
  }
}

/** Explains in a sentence why the ports of a started container are not forwarded. */
function explain(reason: string): string {
  return /add_hostfwd failed/.test(reason)
    ? 'another program has just taken the port of the API; try again or choose a port with --port.'
    : `the container’s network does not start: ${reason}`;
}

/** Listens on the first free VNC port and connects each client with the server on a unix socket. */
async function listenOnFirst(socket: string): Promise<{ server: Server; port: number }> {
  for (let port = FIRST_VNC_PORT; port < FIRST_VNC_PORT + VNC_PORTS; port++) {
    const server = createServer((client) => {
      const peer = connect(socket);
      for (const [one, other] of [
        [client, peer],
        [peer, client],
      ] as const) {
        one.on('error', () => undefined);
        one.on('close', () => other.destroy());
        one.pipe(other);
      }
    });
    server.unref();
    const listening = new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen({ host: '127.0.0.1', port, exclusive: true }, () => resolve(true));
    });
    if (await listening) return { server, port };
  }
  throw new Problem(`no port from ${FIRST_VNC_PORT} to ${FIRST_VNC_PORT + VNC_PORTS - 1} is free for VNC.`);
}
