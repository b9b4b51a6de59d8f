import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../../../ci/lib/places.ts';
import { http } from '../../../client/http.ts';
import { waitFor } from '../../../testing/wait.ts';

const START_MS = 60_000;
const USER = { username: 'test@example.com', password: 'test' };

export interface GooseBitOptions {
  /** From `installGooseBit`. */
  python: string;
  /** For its database, its bundles and its log. */
  folder: string;
  /** On 127.0.0.1. */
  port: number;
  /** How often devices poll, `HH:mm:ss`. */
  pollTime?: string;
  /** Requires each device's own token; it is set by `setToken`. */
  strict?: boolean;
}

/** What gooseBit says about a device. */
export interface GooseBitDevice {
  state: string;
  version: string;
  progress: number | null;
  model: string;
}

/** A running gooseBit, used as an operator does: by its own API. */
export class GooseBit {
  readonly url: string;
  readonly #process: ChildProcess;
  #headers: Record<string, string> = {};

  private constructor(port: number, child: ChildProcess) {
    this.url = `http://127.0.0.1:${port}`;
    this.#process = child;
  }

  static async start({ python, folder, port, pollTime, strict }: GooseBitOptions): Promise<GooseBit> {
    await mkdir(folder, { recursive: true });
    const env = {
      ...process.env,
      GOOSEBIT_DB_URI: `sqlite://${join(folder, 'db.sqlite3')}`,
      GOOSEBIT_ARTIFACTS_DIR: join(folder, 'artifacts'),
      GOOSEBIT_POLL_TIME: pollTime ?? '00:00:05',
      GOOSEBIT_DEVICE_AUTH__ENABLE: String(strict ?? false),
      OTEL_SDK_DISABLED: 'true',
    };
    const log = createWriteStream(join(folder, 'goosebit.log'));
    await once(log, 'open');
    const serve = join(ROOT, 'tests-qemu/harness/goosebit/serve.py');
    const stdio = ['pipe' as const, log, log];
    const server = new GooseBit(port, spawn(python, [serve, String(port)], { cwd: folder, env, stdio }));
    log.destroy();
    try {
      const hasEnded = () => server.#process.exitCode !== null;
      const isUp = async () => hasEnded() || (await http('GET', `${server.url}/setup`, { timeoutMs: 2000 }));
      await waitFor(isUp, { timeoutMs: START_MS, what: 'gooseBit' });
      if (hasEnded()) throw new Error(`gooseBit has ended:\n${await readFile(log.path, 'utf8')}`);
      await server.#logIn();
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  /** @returns the id of the software, which is also the id of the action for devices */
  async upload(name: string, bundle: Buffer): Promise<number> {
    const boundary = 'vitrine-boundary';
    const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\n\r\n`;
    const raw = Buffer.concat([Buffer.from(head), bundle, Buffer.from(`\r\n--${boundary}--\r\n`)]);
    const type = { 'content-type': `multipart/form-data; boundary=${boundary}` };
    return idIn(await this.#call('PUT', '/software', { raw, headers: type }));
  }

  /** Offers a software to the devices of gooseBit's default feed whose board it fits. */
  async createRollout(softwareId: number): Promise<number> {
    const json = { name: `rollout ${softwareId}`, feed: 'default', software_id: softwareId };
    return idIn(await this.#call('PUT', '/rollouts', { json }));
  }

  /** Stops or continues a rollout. */
  async pauseRollout(id: number, paused: boolean): Promise<void> {
    await this.#call('PATCH', '/rollouts', { json: { ids: [id], paused } });
  }

  /** Offers an update once more to a device that has failed. */
  async force(device: string): Promise<void> {
    await this.#call('PATCH', '/devices', { json: { devices: [device], force_update: true } });
  }

  /** Registers a device with its token, at most 32 characters. */
  async setToken(device: string, token: string): Promise<void> {
    await this.#call('PUT', '/devices', { json: { devices: [device], auth_token: token } });
  }

  async device(id: string): Promise<GooseBitDevice> {
    const found = objectIn(await this.#call('GET', `/devices/${encodeURIComponent(id)}`));
    const { last_state: state, sw_version: version, progress, hardware } = found;
    return {
      state: String(state),
      version: String(version),
      progress: typeof progress === 'number' ? progress : null,
      model: String(objectIn(hardware).model),
    };
  }

  /** What the device has reported about its last update. */
  async log(id: string): Promise<string> {
    return String(objectIn(await this.#call('GET', `/devices/${encodeURIComponent(id)}/log`)).log);
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const exited = once(this.#process, 'exit');
    this.#process.kill('SIGKILL'); // its state ends with the test
    await exited;
  }

  async #logIn(): Promise<void> {
    const raw = new URLSearchParams(USER).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const { status, body } = await http('POST', `${this.url}/setup`, { raw, headers });
    if (status !== 200) throw new Error(`gooseBit answers ${status} to the first log-in`);
    this.#headers = { authorization: `Bearer ${String(objectIn(body).access_token)}` };
  }

  async #call(
    method: string,
    path: string,
    options: { json?: unknown; raw?: Buffer; headers?: Record<string, string> } = {},
  ): Promise<unknown> {
    const headers = { ...this.#headers, ...options.headers };
    const { status, body, bytes } = await http(method, `${this.url}/api/v1${path}`, { ...options, headers });
    if (status !== 200) throw new Error(`gooseBit: ${method} ${path}: ${status} ${bytes.toString()}`);
    return body;
  }
}

function objectIn(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null)
    throw new Error(`gooseBit answers ${JSON.stringify(value)}`);
  return { ...value };
}

function idIn(value: unknown): number {
  const { id } = objectIn(value);
  if (typeof id !== 'number') throw new Error(`gooseBit answers ${JSON.stringify(value)}`);
  return id;
}
