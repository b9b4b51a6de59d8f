import { errorMessage } from '../../agent/src/base/system-error.ts';
import { field } from '../../ci/client/events.ts';
import { SerialClient } from '../../ci/client/ndjson.ts';
import { type VirtualDevice, waitForApi } from '../../ci/lib/virtual-device.ts';
import type { InstancePaths } from '../../ci/qemu/instance.ts';
import type { GuestShell } from '../../ci/qemu/shell.ts';
import { type Colour, decodePng, type Picture } from '../../testing/png.ts';
import { waitFor } from '../../testing/wait.ts';

import { type HttpOptions, type HttpResponse, http } from './http.ts';
import { waitForColours } from './screen.ts';
import { EventSocket } from './socket.ts';

/** A serial link of a device. */
export interface SerialLink {
  name: string;
  /** Connects as a host and waits for the hello. */
  open: () => Promise<SerialClient>;
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
  abstract serial(): Promise<SerialClient>;
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

  /** A request below `{base_url}` over HTTP. */
  async http(method: string, path: string, options: HttpOptions = {}): Promise<HttpResponse> {
    return await http(method, this.api + path, options);
  }

  /** The body of a GET that must succeed. */
  async get(path: string): Promise<unknown> {
    const { status, body, bytes } = await this.http('GET', path);
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${bytes.toString().slice(0, 500)}`);
    return body;
  }

  /** Sends a state-changing request that must succeed, and returns the body. */
  async act(method: string, path: string, json?: unknown): Promise<unknown> {
    const { status, body, bytes } = await this.http(method, path, json === undefined ? {} : { json });
    if (status < 200 || status > 299)
      throw new Error(`${method} ${path}: ${status} ${bytes.toString().slice(0, 500)}`);
    return body;
  }

  /** Runs a script in the displayed page and returns its value. */
  async runScript(script: string): Promise<unknown> {
    return field(await this.act('POST', '/display/execute-js', { script }), 'result');
  }

  /** A WebSocket client that is subscribed to `topics`. */
  async events(...topics: string[]): Promise<EventSocket> {
    const socket = await EventSocket.open(`${this.api.replace('http', 'ws')}/events`);
    if (topics.length > 0) await socket.subscribe(...topics);
    return socket;
  }

  /** The screenshot of the device's API. */
  async screenshot(): Promise<Picture> {
    const { status, bytes } = await this.http('GET', '/display/screenshot');
    if (status !== 200)
      throw new Error(`GET /display/screenshot: ${status} ${bytes.toString().slice(0, 500)}`);
    return decodePng(bytes);
  }

  /** Waits until the display output shows two halves of these colours. */
  async waitForColours(left: Colour, right: Colour, timeoutMs = 180_000): Promise<void> {
    await waitForColours(() => this.screen(), left, right, timeoutMs);
  }

  /** Waits until `GET /display` reports that a bundle is shown. */
  async waitForBundle(name: string): Promise<unknown> {
    return await this.waitForDisplay(
      (display) =>
        field(display, 'mode') === 'bundle' &&
        field(display, 'bundle') === name &&
        field(display, 'loading') === false,
      `the bundle ${name} to be shown`,
      300_000,
    );
  }

  /** Waits until `GET /display` fulfils the condition, and returns it. */
  async waitForDisplay(wanted: (display: unknown) => boolean, what: string, timeoutMs = 120_000) {
    let last: unknown;
    try {
      await waitFor(
        async () => {
          last = await this.get('/display');
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
    await this.waitForDisplay(
      (display) => field(display, 'mode') === 'waiting' && field(display, 'loading') === false,
      'the waiting page',
    );
  }

  /** The kernel's random id of the current boot. */
  async bootId(): Promise<string> {
    return await this.shell.ok('cat /proc/sys/kernel/random/boot_id');
  }
}

/** Connects to the unix socket of a serial link, and waits for the hello. */
export async function connectAndWaitForHello(path: string): Promise<SerialClient> {
  const client = await SerialClient.connect(path);
  try {
    await client.frame('hello');
    return client;
  } catch (error) {
    client.close();
    throw error;
  }
}
