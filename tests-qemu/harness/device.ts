import { errorMessage } from '../../agent/src/base/system-error.ts';
import { type VirtualDevice, waitForApi } from '../../ci/lib/virtual-device.ts';
import type { InstancePaths } from '../../ci/qemu/instance.ts';
import type { GuestShell } from '../../ci/qemu/shell.ts';
import { type Client, createClient, type RequestOptions, requireSuccess } from '../../client/client.ts';
import type { ResponseOf, TopicName } from '../../client/contract.ts';
import { type HttpAnswer, httpTransport, openSocket, type SocketChannel } from '../../client/http.ts';
import { openSerial, type SerialChannel } from '../../client/serial.ts';
import { type Colour, decodePng, type Picture } from '../../testing/png.ts';
import { waitFor } from '../../testing/wait.ts';

import { waitForColours } from './screen.ts';

type Display = ResponseOf<'GET', '/display'>;

/** A serial link of a device. */
export interface SerialLink {
  name: string;
  /** Connects as a host and waits for the hello. */
  open: () => Promise<SerialChannel>;
}

/** A running device with everything that a test uses: power, screen, links, and a root shell. */
export abstract class Device {
  /** What runs it. */
  abstract readonly host: VirtualDevice;
  /** How it is run, for the output of a test. */
  abstract readonly kind: string;
  /** Every instruction is emulated, so that it is many times slower than this computer. */
  abstract readonly isEmulated: boolean;
  abstract readonly shell: GuestShell;
  abstract readonly bootTimeoutMs: number;
  readonly paths: InstancePaths;
  /** Prints a note that is not a failure in the test's output. */
  say: (line: string) => void = () => undefined;
  /** A scenario has run on it. */
  isUsed = false;

  constructor(paths: InstancePaths) {
    this.paths = paths;
  }

  /** Connects as a host to a serial link and waits for the hello. */
  abstract serial(): Promise<SerialChannel>;
  /** All serial links. */
  abstract readonly serialLinks: readonly SerialLink[];
  /** A picture of the screen, taken outside of the product. */
  abstract screen(): Promise<Picture>;
  /** The same as a file: its content, and the ending of its name. */
  abstract screenFile(): Promise<{ bytes: Buffer; type: 'png' | 'ppm' }>;
  /** Runs `act`, which restarts the device `boots` times, and waits until it is up again. */
  abstract restart(act: () => Promise<unknown>, boots?: number): Promise<void>;
  /** Restarts the device at once, without shutting it down, and waits until it is up again. */
  abstract reset(): Promise<void>;
  /** Runs `between` while no host is reachable over any network. The serial link of `serial` and the shell keep working. */
  abstract withoutHost(between: () => Promise<void>): Promise<void>;
  /** Ends the device and deletes its files. */
  abstract discard(): Promise<void>;

  get origin(): string {
    return `http://127.0.0.1:${this.host.settings.apiPort}`;
  }

  /** Origin of HTTPS, which answers once the device has a certificate. */
  get httpsOrigin(): string {
    return `https://127.0.0.1:${this.host.settings.httpsPort}`;
  }

  get api(): string {
    return `${this.origin}/api/v1`;
  }

  /** Waits until the API and the root shell answer. */
  async waitUp(): Promise<void> {
    await waitForApi(this.host, this.bootTimeoutMs);
    await this.shell.ready(this.bootTimeoutMs);
  }

  /** Requests over HTTP, each on its own connection. */
  get client(): Client<HttpAnswer> {
    return createClient({ transport: httpTransport(this.api) });
  }

  /** A request below `{base_url}` over HTTP. */
  async http(method: string, path: string, options?: RequestOptions): Promise<HttpAnswer> {
    return await this.client.request(method, path, options);
  }

  /** The body of a GET that must succeed. */
  async get(path: string): Promise<unknown> {
    return await this.act('GET', path);
  }

  /** Sends a request that must succeed, and returns the body. */
  async act(method: string, path: string, json?: unknown): Promise<unknown> {
    return requireSuccess(method, path, await this.http(method, path, { json })).body;
  }

  /** Runs a script in the displayed page and returns its value. */
  async runScript(script: string): Promise<unknown> {
    return (await this.client.post('/display/execute-js', { json: { script } })).result;
  }

  /** A WebSocket client that is subscribed to `topics`. */
  async events(...topics: TopicName[]): Promise<SocketChannel> {
    const socket = await openSocket(`${this.api.replace('http', 'ws')}/events`);
    if (topics.length > 0) await socket.subscribe(...topics);
    return socket;
  }

  /** The screenshot of the device's API. */
  async screenshot(): Promise<Picture> {
    return decodePng(await this.client.download('/display/screenshot'));
  }

  /** Waits until the display output shows two halves of these colours. */
  async waitForColours(left: Colour, right: Colour, timeoutMs = 180_000): Promise<void> {
    await waitForColours(() => this.screen(), left, right, timeoutMs);
  }

  /** Waits until `GET /display` reports that a bundle is shown. */
  async waitForBundle(name: string): Promise<unknown> {
    return await this.waitForDisplay(
      ({ mode, bundle, loading }) => mode === 'bundle' && bundle === name && !loading,
      `the bundle ${name} to be shown`,
      300_000,
    );
  }

  /** Waits until `GET /display` fulfils the condition, and returns it. */
  async waitForDisplay(wanted: (display: Display) => boolean, what: string, timeoutMs = 120_000) {
    let last: Display | undefined;
    try {
      await waitFor(
        async () => {
          last = await this.client.get('/display');
          return wanted(last);
        },
        { timeoutMs, what, intervalMs: 200 },
      );
      return last;
    } catch (error) {
      throw new Error(`${errorMessage(error)}; the display is ${JSON.stringify(last)}`);
    }
  }

  /** Shows the waiting page and waits until it is loaded. */
  async showWaiting(): Promise<void> {
    await this.act('POST', '/display/waiting');
    await this.waitForDisplay(({ mode, loading }) => mode === 'waiting' && !loading, 'the waiting page');
  }

  /** The kernel's random id of the current boot. */
  async bootId(): Promise<string> {
    return await this.shell.ok('cat /proc/sys/kernel/random/boot_id');
  }
}

/** Connects to the unix socket of a serial link, whose server may still be starting. */
export async function connectSerial(path: string): Promise<SerialChannel> {
  return await waitFor(() => openSerial(path), {
    timeoutMs: 5000,
    what: `a server on ${path}`,
    intervalMs: 50,
  });
}

/** Connects to the unix socket of a serial link, and waits for the hello. */
export async function connectAndWaitForHello(path: string): Promise<SerialChannel> {
  const client = await connectSerial(path);
  try {
    await client.frame('hello');
    return client;
  } catch (error) {
    await client.close();
    throw error;
  }
}
