import { createHash, X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import type { RequestOptions } from '../../../client/client.ts';
import type { SocketChannel } from '../../../client/http.ts';
import { type HttpAnswer, http } from '../../../client/http.ts';
import type { SerialChannel } from '../../../client/serial.ts';
import { field } from '../../../testing/field.ts';
import { solidPng } from '../../../testing/make-png.ts';
import { waitFor } from '../../../testing/wait.ts';
import { zip } from '../../../testing/zip.ts';
import { ABSENT, type Ledger } from './ledger.ts';
import type { Actor, Moment } from './plan.ts';
import type { Random } from './random.ts';

const NAMES = ['app', 'kiosk', 'menu', 'signage'] as const;
const [MIN_BYTES, MAX_BYTES] = [1024, 1.5 * 2 ** 20];
/** Larger uploads over the serial link, which the guest must decode, take longer than the time until the cut. */
const SERIAL_MAX_BYTES = 48 * 1024;
const SERIAL_SHARE = 0.25;
const DONE_TIMEOUT_MS = 120_000;
/** Share of the requests for an existing item that delete it; the others replace it. */
const DELETE_SHARE = 0.35;

export const BUNDLE = 'bundle ';
export const CONFIG = 'config';
export const SPLASH = 'splash';
export const AUTHORITIES = 'certificate authorities';
export const UPDATE = 'update';

/** Value of the key UPDATE: the version that is installed, or that was tried last. */
export const updateValue = {
  pending: (version: unknown) => `pending ${String(version)}`,
  tried: (version: unknown) => `tried ${String(version)}`,
};

export function digest(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

/** The two fields that each PATCH sets together, as one value. */
export function configValue(volume: unknown, name: unknown): string {
  return `${String(volume)} ${String(name)}`;
}

/** An update bundle whose slot does not start. */
export interface TestUpdate {
  version: string;
  bytes: Buffer;
}

export interface WorkloadOptions {
  api: string;
  random: Random;
  ledger: Ledger;
  updates: readonly [TestUpdate, ...TestUpdate[]];
  /** Subscribed to `operation`. */
  socket: SocketChannel;
  serial: SerialChannel;
  on: (moment: Moment) => void;
  /** Whether no further request may be started. */
  stopped: () => boolean;
  /** Whether the power may be off: errors are expected then. */
  off: () => boolean;
}

/** Sends changing requests to a device over its links, and records requests and confirmations in the ledger. */
export class Workload {
  readonly #o: WorkloadOptions;

  constructor(options: WorkloadOptions) {
    this.#o = options;
  }

  /**
   * Installs an update, or applies the one that is installed. Its slot has no system, so the device returns from it after
   * three attempts.
   */
  async #update(): Promise<void> {
    const { random, ledger, updates, off } = this.#o;
    const [, pending] = /^pending (.*)$/.exec(ledger.get(UPDATE)) ?? [];
    if (pending !== undefined) {
      const apply = () => this.#send('POST', '/update/apply');
      await this.#change(UPDATE, updateValue.tried(pending), apply, [202]);
      await waitFor(off, { timeoutMs: DONE_TIMEOUT_MS, what: 'the end of the round', intervalMs: 50 });
      return;
    }
    const { version, bytes } = random.pick(updates);
    await this.#change(
      UPDATE,
      updateValue.pending(version),
      () => this.#upload('/update/bundle', bytes),
      [202],
    );
  }

  /** Sends requests until it is stopped or the device is gone. */
  async run(actor: Actor): Promise<void> {
    const { off, stopped } = this.#o;
    const step = {
      bundles: () => this.#bundle(),
      config: () => this.#config(),
      files: () => this.#file(),
      updates: () => this.#update(),
    }[actor];
    try {
      while (!stopped()) await step();
    } catch (error) {
      if (!off()) throw error;
    }
  }

  async #bundle(): Promise<void> {
    const { random, ledger } = this.#o;
    const name = random.pick(NAMES);
    const key = BUNDLE + name;
    if (ledger.get(key) !== ABSENT && random.chance(DELETE_SHARE)) {
      await this.#change(key, ABSENT, () => this.#send('DELETE', `/content/${name}`), [204]);
      return;
    }
    const size = Math.round(MIN_BYTES * (MAX_BYTES / MIN_BYTES) ** random.next());
    const page = `<!doctype html><title>${name}</title>${random.next()}`;
    const archive = await zip({ 'index.html': page, 'media/clip.webm': random.bytes(size) });
    await this.#change(key, digest(archive), () => this.#upload(`/content/${name}`, archive), [202]);
  }

  /** Resolves when the bundle is in place. */
  async #upload(path: string, archive: Buffer): Promise<{ status: number; body?: unknown }> {
    const { random, serial, socket, on, off } = this.#o;
    const { mark } = socket.events;
    const bySerial = archive.length < SERIAL_MAX_BYTES && random.chance(SERIAL_SHARE);
    const answer = bySerial
      ? await serial.request('PUT', path, { raw: archive })
      : await this.#http('PUT', path, {
          raw: archive,
          headers: {
            'content-type': path.startsWith('/content') ? 'application/zip' : 'application/octet-stream',
          },
        });
    if (answer.status !== 202) return answer;
    on('verified');
    const id = field(answer.body, 'operation_id');
    const ended = await waitFor(
      () => {
        const found = socket.events
          .since(mark, 'operation')
          .find(
            ({ payload }) => field(payload, 'operation_id') === id && field(payload, 'state') !== 'running',
          );
        return found?.payload ?? (off() || socket.closed !== undefined ? 'gone' : undefined);
      },
      { timeoutMs: DONE_TIMEOUT_MS, what: `${path} to be in place`, intervalMs: 5 },
    );
    if (ended === 'gone') throw new Error('the device is gone');
    if (field(ended, 'state') !== 'done') throw new Error(`${path}: ${JSON.stringify(ended)}`);
    return answer;
  }

  async #config(): Promise<void> {
    const { random } = this.#o;
    const [volume, name] = [random.integer(0, 100), `Device ${random.integer(0, 1e6)}`];
    const json = { audio: { volume }, device: { name } };
    await this.#change(CONFIG, configValue(volume, name), () => this.#send('PATCH', '/config', json), [200]);
  }

  async #file(): Promise<void> {
    const { random, ledger } = this.#o;
    const [key, path, type] = random.pick([
      [SPLASH, '/files/splash', 'image/png'],
      [AUTHORITIES, '/files/certificates/ca', 'application/x-pem-file'],
    ] as const);
    if (ledger.get(key) !== ABSENT && random.chance(DELETE_SHARE)) {
      await this.#change(key, ABSENT, () => this.#send('DELETE', path), [204]);
      return;
    }
    const raw = key === SPLASH ? somePicture(random) : someAuthorities(random);
    const put = () => this.#http('PUT', path, { raw, headers: { 'content-type': type } });
    await this.#change(key, digest(raw), put, [204]);
  }

  async #change(
    key: string,
    value: string,
    act: () => Promise<{ status: number; body?: unknown }>,
    good: number[],
  ): Promise<void> {
    const { ledger, on } = this.#o;
    ledger.request(key, value);
    on('begun');
    const { status, body } = await act();
    if (!good.includes(status)) throw new Error(`${key}: ${status} ${JSON.stringify(body)}`);
    ledger.confirm(key);
    on('confirmed');
  }

  /** Sends a request over a random link. */
  async #send(method: string, path: string, json?: unknown): Promise<{ status: number; body?: unknown }> {
    const { random, serial } = this.#o;
    if (random.chance(SERIAL_SHARE)) return await serial.request(method, path, { json });
    return await this.#http(method, path, { json });
  }

  async #http(method: string, path: string, options: RequestOptions): Promise<HttpAnswer> {
    return await http(method, this.#o.api + path, options);
  }
}

function somePicture(random: Random): Buffer {
  const shade = (): number => random.integer(0, 255);
  return solidPng(random.integer(1, 200), random.integer(1, 200), [shade(), shade(), shade()]);
}

/** Some of the certificate authorities that Node includes, in the format in which the device stores them. */
function someAuthorities(random: Random): Buffer {
  const first = random.integer(0, rootCertificates.length - 4);
  const few = rootCertificates.slice(first, first + random.integer(1, 4));
  return Buffer.from(few.map((pem) => new X509Certificate(pem).toString()).join(''));
}
