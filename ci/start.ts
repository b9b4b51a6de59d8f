/**
 * `npm start`: installs missing packages, builds the image, boots it in QEMU, or with `--container` in a container, and
 * prints the addresses of screen, API, docs and serial link. The device runs as long as this process. With `--headless --ready-json FILE` scripts get the
 * addresses: FILE is written atomically when the API answers and removed when the machine ends. `--detach` returns when
 * the API answers and leaves the machine running. `npm stop` ends it in both cases.
 */
import { spawn } from 'node:child_process';
import { mkdir, open, readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { errorMessage } from '../agent/src/base/system-error.ts';
import type { ReadyInfo } from '../client/virtual-devices.ts';
import { waitFor } from '../testing/wait.ts';
import { prepareContainer } from './container/start-container.ts';
import { machineName, readArguments } from './lib/arguments.ts';
import { cacheFolder, ROOT } from './lib/places.ts';
import { command, Problem } from './lib/problem.ts';
import { Progress } from './lib/progress.ts';
import { SerialTty } from './lib/serial-tty.ts';
import { tailOf, type VirtualDevice, waitForApi } from './lib/virtual-device.ts';
import { HOST_ADDRESS } from './qemu/arguments.ts';
import { pushAgent } from './qemu/development.ts';
import {
  claimInstance,
  type InstancePaths,
  type PreparedDevice,
  releaseInstance,
  requireFreeName,
  stopCommand,
  writeReady,
} from './qemu/instance.ts';
import { freePort, portOf } from './qemu/ports.ts';
import { prepareMachine } from './qemu/start-machine.ts';
import { removeStorage, serialNumber, storageFolder } from './qemu/storage.ts';
import { type DeveloperRadios, plugDeveloperRadios } from './radios/developer-radios.ts';
import { hasDisplay } from './setup.ts';

const OPTIONS = {
  container: {
    type: 'boolean',
    help: 'run it on this computer’s kernel, in a container, instead of in QEMU: starts in seconds, has no hardware',
  },
  name: { type: 'string', value: 'NAME', help: 'name of the machine; several may run side by side' },
  port: { type: 'string', value: 'PORT', help: 'port of the API on 127.0.0.1 (8080); 0 takes any free one' },
  headless: { type: 'boolean', help: 'no window; the screen is on VNC' },
  'ready-json': { type: 'string', value: 'FILE', help: 'write the addresses to FILE when the API answers' },
  detach: { type: 'boolean', help: 'return when the API answers, leave the machine running (headless)' },
  fresh: { type: 'boolean', help: 'erase the disk of this machine: start as a device from the factory' },
  discard: { type: 'boolean', help: 'erase the disk of this machine when it ends; implies --fresh' },
  dev: { type: 'boolean', help: 'run the working tree’s agent; "npm run dev:push" updates it' },
  radios: {
    type: 'boolean',
    help: 'emulate Wi-Fi and Bluetooth, with an access point to join and a phone to pair (not in a container)',
  },
  'boot-timeout': {
    type: 'string',
    value: 'SECONDS',
    help: 'time limit for the API to answer (90; 420 without KVM; 60 in a container)',
  },
} as const;

const POWER_DOWN_MS = 60_000;
/** A device that is still booting may ignore the power button. */
const POWER_DOWN_BOOTING_MS = 15_000;
/** How often the API is asked while a container starts, in ms. */
const CONTAINER_POLL_MS = 50;

interface Request {
  container: boolean;
  name: string;
  port: number;
  window: boolean;
  readyFile: string | undefined;
  fresh: boolean;
  discard: boolean;
  dev: boolean;
  radios: boolean;
  bootTimeoutMs: number | undefined;
}

function readRequest(): { request: Request; detach: boolean } {
  const { values, rest } = readArguments('npm start -- [options]', OPTIONS);
  if (rest.length > 0)
    throw new Problem(`"${rest[0]}" is not an option; options come after "--": npm start -- --headless`);
  const seconds = values['boot-timeout'] === undefined ? undefined : Number(values['boot-timeout']);
  if (seconds !== undefined && !(seconds > 0)) throw new Problem('--boot-timeout takes a number of seconds.');
  if (values.container && values.radios)
    throw new Problem('--radios needs the kernel modules of a machine: leave out --container.');
  const detach = values.detach ?? false;
  return {
    detach,
    request: {
      container: values.container ?? false,
      name: machineName(values.name),
      port: portOf(values.port),
      window: !values.headless && !detach && hasDisplay(),
      readyFile:
        values['ready-json'] === undefined
          ? undefined
          : resolve(process.env.INIT_CWD ?? '.', values['ready-json']),
      fresh: (values.fresh || values.discard) ?? false,
      discard: values.discard ?? false,
      dev: values.dev ?? false,
      radios: values.radios ?? false,
      bootTimeoutMs: seconds === undefined ? undefined : seconds * 1000,
    },
  };
}

/** Everything before power-on. */
async function prepare(
  { name, container, discard, ...request }: Request,
  paths: InstancePaths,
  apiPort: number,
  progress: Progress,
): Promise<PreparedDevice> {
  const storage = await storageFolder(name, discard);
  const start = { ...request, apiPort, storage, serialNumber: await serialNumber(storage) };
  return container ? await prepareContainer(start, paths) : await prepareMachine(start, paths, progress);
}

async function announce(
  device: VirtualDevice,
  paths: InstancePaths,
  { qmp, tty }: Pick<ReadyInfo, 'qmp' | 'tty'>,
  { name, readyFile }: Request,
  radios: readonly string[],
): Promise<void> {
  const base = `127.0.0.1:${device.settings.apiPort}`;
  const vnc = (await device.vncAddress()) ?? null;
  const ready: ReadyInfo = {
    name,
    api: `http://${base}/api/v1`,
    https: `https://127.0.0.1:${device.settings.httpsPort}/api/v1`,
    docs: `http://${base}/api/v1/docs`,
    events: `ws://${base}/api/v1/events`,
    serial: paths.serial,
    tty,
    qmp,
    vnc,
    host_address: HOST_ADDRESS,
    pid: process.pid,
  };
  if (readyFile) await writeReady(readyFile, ready);
  console.log(`
  Screen   ${vnc ? `VNC on ${vnc}` : 'the QEMU window'}
  API      ${ready.api}
  HTTPS    ${ready.https}   (when the device has a server certificate)
  Events   ${ready.events}
  Docs     ${ready.docs}
  Serial   ${ready.serial}   (socat -,icanon=0,echo=0 UNIX-CONNECT:${ready.serial})
${tty ? `  Tty      ${tty}   (the same for pyserial, serialport, minicom)\n` : ''}${qmp ? `  QMP      ${qmp}\n` : ''}  Console  ${paths.console}
${radios.map((line) => `  ${line}\n`).join('')}  Pages on this computer are at http://${HOST_ADDRESS}:PORT for the device.
  Ctrl-C or "${stopCommand(name)}" powers the device down.
`);
}

/**
 * Waits for requests to stop: a signal, or the end of the parent process. `first` gives the reason of the first
 * request; `repeated` resolves at a later one, which ends the machine at once.
 */
function stopRequests(): { first: Promise<string>; repeated: Promise<void> } {
  const first = Promise.withResolvers<string>();
  const repeated = Promise.withResolvers<void>();
  let firstAt = 0;
  const request = (why: string): void => {
    // One Ctrl-C may arrive twice: from the terminal and forwarded by npm.
    if (firstAt > 0 && performance.now() - firstAt > 1000) repeated.resolve();
    firstAt ||= performance.now();
    first.resolve(why);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => request(signal));
  if (process.channel) {
    process.once('disconnect', () => request('the starting process is gone'));
    process.channel.unref();
  }
  return { first: first.promise, repeated: repeated.promise };
}

/** Boots the machine, prints its addresses and waits until it has ended. */
async function run(request: Request): Promise<number> {
  const stop = stopRequests();
  const progress = new Progress();
  const apiPort = await freePort(request.port);
  const paths = await claimInstance(request.name, `http://127.0.0.1:${apiPort}/api/v1`);
  let device: VirtualDevice | undefined;
  let failed = true;
  let isPrepared = false;
  try {
    // Only after the name is claimed: the file may belong to a running machine of this name.
    if (request.readyFile) await rm(request.readyFile, { force: true });
    const preparing = prepare(request, paths, apiPort, progress).finally(() => {
      isPrepared = true;
    });
    const prepared = await Promise.race([preparing, stop.first]);
    if (typeof prepared === 'string') {
      preparing.catch(() => undefined);
      progress.line(`stopped (${prepared}) before the device was started`);
      return 1;
    }
    device = await prepared.start();
    failed = !(await operate(device, prepared, request, paths, stop, progress));
    return failed ? 1 : 0;
  } finally {
    if (device?.running) await device.quit();
    if (request.readyFile) await rm(request.readyFile, { force: true });
    try {
      // What is still being prepared is erased by the next start.
      if (request.discard && isPrepared) await removeStorage(request.name);
    } finally {
      await releaseInstance(paths, failed && device !== undefined);
    }
  }
}

/** The device is of use without it. */
function openTty({ tty, serial }: InstancePaths, progress: Progress): SerialTty | undefined {
  try {
    return new SerialTty(tty, serial);
  } catch (error) {
    progress.line(`there is no tty for the serial link: ${errorMessage(error)}`);
    return undefined;
  }
}

/** Waits from power-on to power-off. Returns whether the device ended normally. */
async function operate(
  device: VirtualDevice,
  { bootTimeoutMs, qmp, log }: PreparedDevice,
  request: Request,
  paths: InstancePaths,
  stop: ReturnType<typeof stopRequests>,
  progress: Progress,
): Promise<boolean> {
  const timeoutMs = request.bootTimeoutMs ?? bootTimeoutMs;
  let radios: DeveloperRadios | undefined;
  const complete = async (): Promise<'ready'> => {
    if (request.dev) await progress.step('installing the working tree’s agent', () => pushAgent(paths));
    if (request.radios) {
      radios = await progress.step('plugging in radios', () => plugDeveloperRadios(paths.shell));
    }
    return 'ready';
  };
  const booted = progress.step(
    'booting',
    () => waitForApi(device, timeoutMs, request.container ? CONTAINER_POLL_MS : undefined),
    () => tailOf(paths.console, 1),
  );
  const outcome = await Promise.race([booted.then(complete), stop.first]);
  if (outcome === 'ready') {
    progress.line(
      `the API answers ${device.seconds.toFixed(1)} s after power-on (${progress.elapsed} in all)`,
    );
    const tty = openTty(paths, progress);
    try {
      await announce(device, paths, { qmp, tty: tty?.path ?? null }, request, radios?.lines ?? []);
      await Promise.race([device.ended, stop.first]);
    } finally {
      tty?.close();
    }
    await radios?.stop();
  } else booted.catch(() => undefined);
  if (device.running) {
    progress.line('powering the device down …');
    const powerDownMs = outcome === 'ready' ? POWER_DOWN_MS : POWER_DOWN_BOOTING_MS;
    const clean = await Promise.race([device.powerDown(powerDownMs), stop.repeated.then(() => false)]);
    if (!clean) progress.line('it did not power off by itself and was ended');
    await device.quit();
    return true;
  }
  const { code, signal } = await device.ended;
  if (code === 0) progress.line('the device powered itself off');
  else progress.line(`the device ended (${signal ?? `code ${code}`}): ${await tailOf(log, 3)}`);
  return code === 0;
}

/** Starts this script again in the background and waits until the machine is ready or the script has failed. */
async function runDetached(request: Request): Promise<number> {
  const folder = join(cacheFolder(), 'machines', request.name);
  await mkdir(folder, { recursive: true });
  // Before the files of a running machine of this name are overwritten.
  await requireFreeName(request.name);
  const logPath = join(folder, 'start.log');
  const ready = request.readyFile ?? join(folder, 'ready.json');
  await rm(ready, { force: true });
  const log = await open(logPath, 'w');
  const args = process.argv.slice(2).filter((arg) => arg !== '--detach' && arg !== '--headless');
  if (!request.readyFile) args.push('--ready-json', ready);
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), ...args, '--headless'], {
    cwd: ROOT,
    stdio: ['ignore', log.fd, log.fd],
    detached: true,
  });
  await log.close();
  await waitFor(
    async () =>
      child.exitCode !== null || child.signalCode !== null || (await readFile(ready).catch(() => false)),
    { timeoutMs: 3 * 60 * 60_000, what: 'the machine' },
  );
  const text = await readFile(logPath, 'utf8');
  const failed = child.exitCode !== null || child.signalCode !== null;
  (failed ? process.stderr : process.stdout).write(text);
  child.unref();
  return failed ? 1 : 0;
}

await command(async () => {
  const { request, detach } = readRequest();
  if (detach) return await runDetached(request);
  const code = await run(request);
  // An interrupted build may still keep this process alive. Its incomplete results are rebuilt next time.
  setTimeout(() => process.exit(code), 1000).unref();
  return code;
});
