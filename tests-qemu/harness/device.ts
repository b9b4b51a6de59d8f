import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { type Colour, decodePng, type Picture } from '../../ci/lib/png.ts';
import { messageOf } from '../../ci/lib/problem.ts';
import { waitFor, within } from '../../ci/lib/wait.ts';
import { makeOverlay } from '../../ci/qemu/disk.ts';
import type { BuiltImage } from '../../ci/qemu/image.ts';
import type { InstancePaths } from '../../ci/qemu/instance.ts';
import { Machine, waitForApi } from '../../ci/qemu/machine.ts';
import { GuestShell } from '../../ci/qemu/shell.ts';
import { resumeSnapshot, type SnapshotFiles } from '../../ci/qemu/snapshot.ts';
import { field } from './events.ts';
import { lookAt, screendump, waitForColours } from './glass.ts';
import { type HttpOptions, type HttpResponse, http } from './http.ts';
import { SerialClient } from './ndjson.ts';
import { makePlace, type Place } from './place.ts';
import { EventSocket } from './socket.ts';

/** Until the guest has seen that a host went away. */
const SEEN_MS = 90_000;
const BOOT_TIMEOUT_MS = { kvm: 90_000, tcg: 420_000 };
/** Until a restored device answers: some seconds, on a busy computer ten times as many. */
const RESTORE_TIMEOUT_MS = 120_000;

/** A running device as a test sees it: its power, its screen, its links, and a root shell inside. */
export class Device {
  readonly machine: Machine;
  readonly paths: InstancePaths;
  readonly shell: GuestShell;
  /** Tells the person who reads the test's output something that is no failure. */
  say: (line: string) => void = () => undefined;
  /** A scenario has run on it. */
  isUsed = false;
  readonly #disk: string;

  /** Makes a device from the factory of `image` and powers it on. */
  static async boot(image: BuiltImage): Promise<Device> {
    const place = await makePlace(image);
    await makeOverlay(place.disk, image.disk);
    return await Device.#start(place);
  }

  /** As {@link boot}, with the disk in `files`: this device can be saved. */
  static async bootInto(files: SnapshotFiles, image: BuiltImage): Promise<Device> {
    const place = await makePlace(image);
    await makeOverlay(files.disk, image.disk);
    return await Device.#start({ ...place, settings: { ...place.settings, disk: files.disk } });
  }

  /**
   * Makes a device that goes on where the one saved in `files` stopped, with the time of now; its API answers.
   *
   * Its uptime, its boot id and what programs hold in memory are those of the saved one. So are the states of random
   * number generators: the kernel's gets fresh bytes, and mixes them in within a minute.
   */
  static async restore(files: SnapshotFiles, image: BuiltImage): Promise<Device> {
    const place = await makePlace(image);
    await makeOverlay(place.disk, files.disk, 'qcow2');
    const device = await Device.#start({ ...place, settings: { ...place.settings, incoming: true } });
    try {
      await resumeSnapshot(device.machine, files);
      await device.shell.ready(RESTORE_TIMEOUT_MS);
      // At once: nothing has begun yet that reckons with the time of day. What only counts time has not jumped.
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

  static async #start({ settings, paths, disk }: Place): Promise<Device> {
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

  /** Where HTTPS is, once the device has a certificate. */
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

  /** A state-changing request that must succeed; its body. */
  async act(method: string, path: string, json?: unknown): Promise<unknown> {
    const { status, body, bytes } = await this.http(method, path, json === undefined ? {} : { json });
    if (status < 200 || status > 299)
      throw new Error(`${method} ${path}: ${status} ${bytes.toString().slice(0, 500)}`);
    return body;
  }

  /** A WebSocket client that is subscribed to `topics`. */
  async events(...topics: string[]): Promise<EventSocket> {
    const socket = await EventSocket.open(`${this.api.replace('http', 'ws')}/events`);
    if (topics.length > 0) await socket.subscribe(...topics);
    return socket;
  }

  /** The second cable of virt: a host that has opened the virtio serial port, after its hello. */
  async serial(): Promise<SerialClient> {
    // The guest's driver sees only that a host is there or not: one that comes back before anybody there has looked
    // never was away. (The relay's unit mounts debugfs.)
    await waitFor(
      async () => {
        const port = '$(grep -l "name: org.vitrine.serial" /sys/kernel/debug/virtio-ports/*)';
        return (await this.shell.run(`grep -q "host_connected: 0" "${port}"`)).code === 0;
      },
      { timeoutMs: SEEN_MS, what: 'the guest to see the serial port’s last host go' },
    );
    // The agent's event loop was told just then: it has looked when it has answered what was asked after that.
    await this.get('/device');
    return await greeted(this.paths.serial);
  }

  /** A host that has opened the USB gadget's tty, after its hello. */
  async gadget(): Promise<SerialClient> {
    // The relay looks now and then whether its client is there: a quick next one would be taken for the one before,
    // and the tty would stay open.
    await this.gadgetClosed();
    return await greeted(this.paths.relay);
  }

  /** Waits until the relay, whose client has gone or whose tty has, has closed the gadget's tty. */
  async gadgetClosed(): Promise<void> {
    await waitFor(
      async () => (await this.shell.run('readlink /proc/[0-9]*/fd/4 | grep -q ttyACM')).code !== 0,
      { timeoutMs: SEEN_MS, what: 'the relay to have closed the tty' },
    );
  }

  /** What is on the glass: the machine's own picture of the screen. */
  async glass(): Promise<Picture> {
    return await lookAt(this.machine.qmp, this.paths.folder);
  }

  async glassPng(): Promise<Buffer> {
    return await screendump(this.machine.qmp, this.paths.folder, 'png');
  }

  /** The device's own screenshot. */
  async screenshot(): Promise<Picture> {
    const { status, bytes } = await this.http('GET', '/display/screenshot');
    if (status !== 200)
      throw new Error(`GET /display/screenshot: ${status} ${bytes.toString().slice(0, 500)}`);
    return decodePng(bytes);
  }

  /** Waits until the glass shows two halves of these colours. */
  async waitForColours(left: Colour, right: Colour, timeoutMs = 180_000): Promise<void> {
    await waitForColours(() => this.glass(), left, right, timeoutMs);
  }

  /** Waits until a bundle is shown, as `GET /display` tells. */
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

  /** Waits until `GET /display` is as wanted; gives it. */
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

  /** Back to the waiting page, drawn. */
  async showWaiting(): Promise<void> {
    await this.act('POST', '/display/waiting');
    await this.waitForDisplay(
      (display) => field(display, 'mode') === 'waiting' && field(display, 'loading') === false,
      'the waiting page',
    );
  }

  /** What tells one boot from the next. */
  async bootId(): Promise<string> {
    return await this.shell.ok('cat /proc/sys/kernel/random/boot_id');
  }

  /** Runs `act`, which makes the machine start again, and waits until the device is up again. */
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

  /** Pulls the plug and forgets the device. `keep` leaves its logs. */
  async discard(): Promise<void> {
    this.shell.close();
    await this.machine.quit();
    await rm(this.#disk, { force: true });
    await rm(this.paths.folder, { recursive: true, force: true });
  }
}

async function greeted(path: string): Promise<SerialClient> {
  const client = await SerialClient.connect(path);
  try {
    await client.frame('hello');
    return client;
  } catch (error) {
    client.close();
    throw error;
  }
}
