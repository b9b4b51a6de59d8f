import { randomBytes } from 'node:crypto';
import { rm, stat } from 'node:fs/promises';
import { field } from '../../ci/client/events.ts';
import { SerialClient } from '../../ci/client/ndjson.ts';
import { type Colour, decodePng, type Picture } from '../../ci/lib/png.ts';
import { messageOf } from '../../ci/lib/problem.ts';
import { makeOverlay } from '../../ci/qemu/disk.ts';
import type { BuiltImage } from '../../ci/qemu/image.ts';
import type { InstancePaths } from '../../ci/qemu/instance.ts';
import { Machine, waitForApi } from '../../ci/qemu/machine.ts';
import { GuestShell } from '../../ci/qemu/shell.ts';
import { resumeSnapshot, type SnapshotFiles } from '../../ci/qemu/snapshot.ts';
import { waitFor, within } from '../../lib/wait.ts';
import { type DeviceSetup, prepareDevice } from './device-setup.ts';
import { type HttpOptions, type HttpResponse, http } from './http.ts';
import { readScreen, screendump, waitForColours } from './screen.ts';
import { EventSocket } from './socket.ts';

/** Bytes of a booted device's disk after the end of the image. */
const SPARE_DISK = 2 ** 30;
/** Time limit for the guest to notice that a host has disconnected. */
const SEEN_MS = 90_000;
const BOOT_TIMEOUT_MS = { kvm: 90_000, tcg: 420_000 };
/** Time limit for a restored device to answer: it takes seconds, on a busy computer ten times as long. */
const RESTORE_TIMEOUT_MS = 120_000;

/** A running device with everything that a test uses: power, screen, links, and a root shell in the guest. */
export class Device {
  readonly machine: Machine;
  readonly paths: InstancePaths;
  readonly shell: GuestShell;
  /** Prints a note that is not a failure in the test's output. */
  say: (line: string) => void = () => undefined;
  /** A scenario has run on it. */
  isUsed = false;
  readonly #disk: string;

  /** Powers on a factory-new device with `image`, on a disk that is larger than the image, as cards are. */
  static async boot(image: BuiltImage): Promise<Device> {
    const place = await prepareDevice(image);
    await makeOverlay(place.disk, image.disk, 'raw', (await stat(image.disk)).size + SPARE_DISK);
    return await Device.#start(place);
  }

  /** Like {@link boot}, but with the disk in `files`, so that the device can be saved. */
  static async bootInto(files: SnapshotFiles, image: BuiltImage): Promise<Device> {
    const place = await prepareDevice(image);
    await makeOverlay(files.disk, image.disk);
    return await Device.#start({ ...place, settings: { ...place.settings, disk: files.disk } });
  }

  /**
   * Restores the device that is saved in `files`, sets the current time, and waits until the API answers.
   *
   * Uptime, boot id and the memory of programs are those of the saved device. So is the state of random number
   * generators; the kernel's gets fresh bytes, which it mixes in within a minute.
   */
  static async restore(files: SnapshotFiles, image: BuiltImage): Promise<Device> {
    const place = await prepareDevice(image);
    await makeOverlay(place.disk, files.disk, 'qcow2');
    const device = await Device.#start({ ...place, settings: { ...place.settings, incoming: true } });
    try {
      await resumeSnapshot(device.machine, files);
      await device.shell.ready(RESTORE_TIMEOUT_MS);
      // Immediately, before anything depends on the time of day. The monotonic clock does not jump.
      await device.shell.ok(
        `date -s @$(cat /sys/class/rtc/rtc0/since_epoch) && echo ${randomBytes(64).toString('hex')} >/dev/urandom`,
      );
      await waitForApi(device.machine, RESTORE_TIMEOUT_MS);
      return device;
    } catch (error) {
      await device.discard();
      throw error;
    }
  }

  static async #start({ settings, paths, disk }: DeviceSetup): Promise<Device> {
    const machine = await Machine.start(settings, paths.qemuLog);
    try {
      return new Device(machine, paths, await GuestShell.connect(paths.shell), disk);
    } catch (error) {
      await machine.quit();
      throw error;
    }
  }

  private constructor(machine: Machine, paths: InstancePaths, shell: GuestShell, disk: string) {
    this.machine = machine;
    this.paths = paths;
    this.shell = shell;
    this.#disk = disk;
  }

  get bootTimeoutMs(): number {
    return BOOT_TIMEOUT_MS[this.machine.settings.acceleration.kind];
  }

  get origin(): string {
    return `http://127.0.0.1:${this.machine.settings.apiPort}`;
  }

  /** Origin of HTTPS, which answers once the device has a certificate. */
  get httpsOrigin(): string {
    return `https://127.0.0.1:${this.machine.settings.httpsPort}`;
  }

  get api(): string {
    return `${this.origin}/api/v1`;
  }

  /** Waits until the API and the root shell answer. */
  async waitUp(): Promise<void> {
    await waitForApi(this.machine, this.bootTimeoutMs);
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

  /** Connects as a host to the virtio serial port, the second cable of virt, and waits for the hello. */
  async serial(): Promise<SerialClient> {
    // The guest's driver only has the state "connected": a host that reconnects before the guest has checked it is not
    // noticed as a new one. (The relay's unit mounts debugfs.)
    await waitFor(
      async () => {
        const port = '$(grep -l "name: org.vitrine.serial" /sys/kernel/debug/virtio-ports/*)';
        return (await this.shell.run(`grep -q "host_connected: 0" "${port}"`)).code === 0;
      },
      { timeoutMs: SEEN_MS, what: 'the guest to notice that the last host has disconnected' },
    );
    // The agent gets the event at that moment; once it has answered a later request, it has handled the event.
    await this.get('/device');
    return await connectAndWaitForHello(this.paths.serial);
  }

  /** Connects as a host to the USB gadget's tty and waits for the hello. */
  async gadget(): Promise<SerialClient> {
    // The relay polls whether a client is connected: if the next one came too soon, it would not notice the change and
    // would keep the tty open.
    await this.gadgetClosed();
    return await connectAndWaitForHello(this.paths.relay);
  }

  /** Waits until the relay has closed the gadget's tty, after its client or the tty has gone. */
  async gadgetClosed(): Promise<void> {
    await waitFor(
      async () => (await this.shell.run('readlink /proc/[0-9]*/fd/4 | grep -q ttyACM')).code !== 0,
      { timeoutMs: SEEN_MS, what: 'the relay to have closed the tty' },
    );
  }

  /** A picture of the machine's display output, taken by QEMU. */
  async screen(): Promise<Picture> {
    return await readScreen(this.machine.qmp, this.paths.folder);
  }

  async screenPng(): Promise<Buffer> {
    return await screendump(this.machine.qmp, this.paths.folder, 'png');
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
      throw new Error(`${messageOf(error)}; the display is ${JSON.stringify(last)}`);
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

  /** Runs `act`, which restarts the machine `boots` times, and waits until the device is up again. */
  async restart(act: () => Promise<unknown>, boots = 1): Promise<void> {
    let resets = 0;
    const done = Promise.withResolvers<void>();
    const stop = this.machine.qmp.onEvent(({ event }) => {
      if (event !== 'RESET') return;
      this.shell.restarted();
      if (++resets === boots) done.resolve();
    });
    try {
      await act();
      await within(
        done.promise,
        boots * this.bootTimeoutMs,
        `${boots} restarts of the machine (${resets} seen)`,
      );
    } finally {
      stop();
    }
    await this.waitUp();
  }

  /** Ends the machine and deletes its files. */
  async discard(): Promise<void> {
    this.shell.close();
    await this.machine.quit();
    await rm(this.#disk, { force: true });
    await rm(this.paths.folder, { recursive: true, force: true });
  }
}

async function connectAndWaitForHello(path: string): Promise<SerialClient> {
  const client = await SerialClient.connect(path);
  try {
    await client.frame('hello');
    return client;
  } catch (error) {
    client.close();
    throw error;
  }
}
