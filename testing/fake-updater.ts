import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { ApiError } from '../agent/src/contract/errors.ts';
import type {
  BundleSource,
  FleetInstaller,
  FleetTrial,
  UpdaterState,
} from '../agent/src/resources/update/fleet/ports.ts';

/** Size of the parts that a bundle is fetched in, in bytes: RAUC's are at most as large. */
const PART = 256 * 1024;

/** An updater without RAUC and slots. It fetches bundles over HTTP, as RAUC does, and reboots when a test says so. */
export class FakeUpdater implements FleetInstaller, FleetTrial {
  current: UpdaterState = {
    version: '1.0.0',
    pending: null,
    lastResult: null,
    confirmed: true,
    rebooting: false,
  };
  /** Version of the bundles that are installed. */
  version = '1.1.0';
  /** What an install ends with. */
  failure: ApiError | undefined;
  /** Called after each part. */
  onPart: (fraction: number) => void | Promise<void> = () => undefined;
  readonly sources: BundleSource[] = [];
  readonly applied: string[] = [];
  readonly discarded: string[] = [];
  /** How often the reboot was asked for after `apply`. */
  rebootRequests = 0;
  canReboot = true;
  #isInstalling = false;
  /** Parts that were fetched, by URL: an interrupted install goes on after them. */
  readonly #fetched = new Map<string, number>();

  async installFrom(source: BundleSource, progress: (fraction: number) => void): Promise<void> {
    if (this.#isInstalling) throw new ApiError('conflict', 'An update is being installed.');
    this.#isInstalling = true;
    this.sources.push(source);
    this.current = { ...this.current, pending: null };
    try {
      await this.#install(source, progress);
    } finally {
      this.#isInstalling = false;
    }
  }

  async #install(source: BundleSource, progress: (fraction: number) => void): Promise<void> {
    for (let isDone = false; !isDone; ) {
      const from = this.#fetched.get(source.url) ?? 0;
      const size = await fetchPart(source, from * PART).catch((error: unknown) => {
        throw new ApiError('unavailable', `The network broke: ${String(error)}`);
      });
      this.#fetched.set(source.url, from + 1);
      isDone = (from + 1) * PART >= size;
      const fraction = Math.min(((from + 1) * PART) / size, 1);
      progress(fraction);
      await this.onPart(fraction);
    }
    this.#fetched.delete(source.url);
    if (this.failure) throw this.failure;
    const { reference } = source;
    this.current = { ...this.current, pending: { version: this.version, reference } };
  }

  async applyInstalled(reference: string): Promise<void> {
    if (this.current.rebooting && this.applied.at(-1) === reference) {
      this.rebootRequests += 1;
      this.#requireReboot();
      return;
    }
    if (this.current.pending?.reference !== reference) throw new ApiError('conflict');
    this.applied.push(reference);
    this.current = { ...this.current, pending: null, rebooting: true };
    this.#requireReboot();
  }

  #requireReboot(): void {
    if (!this.canReboot) throw new ApiError('unavailable', 'There is no login manager.');
  }

  async discard(reference: string): Promise<void> {
    this.discarded.push(reference);
    if (this.current.pending?.reference === reference) this.current = { ...this.current, pending: null };
  }

  async state(): Promise<UpdaterState> {
    return this.current;
  }

  /** The device has rebooted into the new version, which is not confirmed yet. */
  boot(): void {
    this.current = { ...this.current, confirmed: false, rebooting: false };
  }

  /** The new version is confirmed, or the old one runs again. */
  endTrial(outcome: 'success' | 'rolled_back'): void {
    const { version } = this;
    const reference = this.applied.at(-1) ?? null;
    const reason =
      outcome === 'success' ? null : { code: 'unhealthy', message: 'The new version painted no frame.' };
    const lastResult = { outcome, reason, reference, version };
    const running = outcome === 'success' ? version : this.current.version;
    this.current = { version: running, pending: null, lastResult, confirmed: true, rebooting: false };
  }
}

/** @returns the size of the whole bundle */
function fetchPart({ url, headers }: BundleSource, from: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const pairs = headers.map((line) => line.split(/: /, 2));
  const range = { range: `bytes=${from}-${from + PART - 1}` };
  const request = url.startsWith('https:') ? requestHttps : requestHttp;
  const call = request(url, { agent: false, headers: { ...Object.fromEntries(pairs), ...range } });
  call.on('error', reject);
  call.on('response', (response) => {
    const size = /^bytes \d+-\d+\/(\d+)$/.exec(response.headers['content-range'] ?? '')?.[1];
    response.on('error', reject);
    response.on('end', () => (size === undefined ? reject(new Error('no range')) : resolve(Number(size))));
    response.resume();
  });
  call.end();
  return promise;
}
