/**
 * `npm start`: installs missing packages, builds the image, boots it in QEMU and prints the addresses of screen, API,
 * docs and serial link. The machine runs as long as this process. With `--headless --ready-json FILE` scripts get the
 * addresses: FILE is written atomically when the API answers and removed when the machine ends. `--detach` returns when
 * the API answers and leaves the machine running. `npm stop` ends it in both cases.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeFileAtomic } from '../agent/src/base/atomic-file.ts';
import { waitFor } from '../lib/wait.ts';
import { machineName, readArguments } from './lib/arguments.ts';
import { hasDisplay } from './lib/display.ts';
import { cacheFolder, ROOT, requireFreeSpace } from './lib/places.ts';
import { command, Problem } from './lib/problem.ts';
import { Progress } from './lib/progress.ts';
import { chooseAcceleration } from './qemu/acceleration.ts';
import { HOST_ADDRESS, type MachineSettings } from './qemu/arguments.ts';
import { developmentSettings, pushAgent } from './qemu/development.ts';
import { keepOverlay } from './qemu/disk.ts';
import { ensureImage } from './qemu/image.ts';
import {
  claimInstance,
  type InstancePaths,
  type ReadyInfo,
  releaseInstance,
  requireFreeName,
  writeReady,
} from './qemu/instance.ts';
import { Machine, tailOf, waitForApi } from './qemu/machine.ts';
import { freeHttpsPort, freePort, portOf } from './qemu/ports.ts';
import { hasWindow, qemuVersion } from './qemu/program.ts';
import { setupHost } from './setup.ts';

const OPTIONS = {
  name: { type: 'string', value: 'NAME', help: 'name of the machine; several may run side by side' },
  port: { type: 'string', value: 'PORT', help: 'port of the API on 127.0.0.1 (8080); 0 takes any free one' },
  headless: { type: 'boolean', help: 'no window; the screen is on VNC' },
  'ready-json': { type: 'string', value: 'FILE', help: 'write the addresses to FILE when the API answers' },
  detach: { type: 'boolean', help: 'return when the API answers, leave the machine running (headless)' },
  fresh: { type: 'boolean', help: 'erase the disk of this machine: start as a device from the factory' },
  dev: { type: 'boolean', help: 'run the working tree’s agent; "npm run dev:push" updates it' },
  'boot-timeout': {
    type: 'string',
    value: 'SECONDS',
    help: 'time limit for the API to answer (90; 420 without KVM)',
  },
} as const;

const POWER_DOWN_MS = 60_000;
/** A device that is still booting may ignore the power button. */
const POWER_DOWN_BOOTING_MS = 15_000;
const DISK_ROOM = 3 * 2 ** 30;

interface Request {
  name: string;
  port: number;
  window: boolean;
  readyFile: string | undefined;
  fresh: boolean;
  dev: boolean;
  bootTimeoutMs: number | undefined;
}

function readRequest(): { request: Request; detach: boolean } {
  const { values, rest } = readArguments('npm start -- [options]', OPTIONS);
  if (rest.length > 0)
    throw new Problem(`"${rest[0]}" is not an option; options come after "--": npm start -- --headless`);
  const seconds = values['boot-timeout'] === undefined ? undefined : Number(values['boot-timeout']);
  if (seconds !== undefined && !(seconds > 0)) throw new Problem('--boot-timeout takes a number of seconds.');
  const detach = values.detach ?? false;
  return {
    detach,
    request: {
      name: machineName(values.name),
      port: portOf(values.port),
      window: !values.headless && !detach && hasDisplay(),
      readyFile:
        values['ready-json'] === undefined
          ? undefined
          : resolve(process.env.INIT_CWD ?? '.', values['ready-json']),
      fresh: values.fresh ?? false,
      dev: values.dev ?? false,
      bootTimeoutMs: seconds === undefined ? undefined : seconds * 1000,
    },
  };
}

/** A machine's serial number: generated once, then the same at every start, like that of a real board. */
async function serialNumber(folder: string): Promise<string> {
  const file = join(folder, 'serial');
  const kept = await readFile(file, 'utf8').catch(() => '');
  if (/^VIRT-[0-9A-F]{8}$/.test(kept)) return kept;
  const made = `VIRT-${randomBytes(4).toString('hex').toUpperCase()}`;
  await writeFileAtomic(file, made);
  return made;
}

/** Everything before power-on: packages, image, disk, the choice between KVM and TCG. */
async function prepare(
  request: Request,
  paths: InstancePaths,
  apiPort: number,
  progress: Progress,
): Promise<MachineSettings> {
  await setupHost('run');
  const version = qemuVersion();
  const image = await ensureImage();
  const folder = join(cacheFolder(), 'machines', request.name);
  await requireFreeSpace(folder, DISK_ROOM, 'a machine’s disk');
  const disk = join(folder, 'disk.qcow2');
  const made = await keepOverlay(disk, image.disk, image.id, request.fresh);
  if (made === 'image changed')
    progress.line('the image has changed since the last start: the machine gets a new disk');
  const acceleration = await chooseAcceleration(image.kernel, version);
  progress.line(`processor: ${acceleration.kind.toUpperCase()} (${acceleration.reason})`);
  if (request.window && !hasWindow()) progress.line('this QEMU has no window; the screen is on VNC');
  return {
    acceleration,
    firmware: image.firmware,
    disk,
    diskCache: 'writeback',
    console: paths.console,
    monitors: [paths.control, paths.qmp],
    ports: [{ name: 'org.vitrine.serial', socket: paths.serial }],
    apiPort,
    // Chosen late: another machine may have taken the default port while the image was built.
    httpsPort: await freeHttpsPort(apiPort),
    screen: request.window && hasWindow() ? 'window' : 'vnc',
    serialNumber: await serialNumber(folder),
    ...(request.dev ? await developmentSettings(paths) : {}),
  };
}

async function announce(
  machine: Machine,
  paths: InstancePaths,
  readyFile: string | undefined,
): Promise<void> {
  const base = `127.0.0.1:${machine.settings.apiPort}`;
  const vnc = (await machine.vncAddress()) ?? null;
  const ready: ReadyInfo = {
    api: `http://${base}/api/v1`,
    https: `https://127.0.0.1:${machine.settings.httpsPort}/api/v1`,
    events: `ws://${base}/api/v1/events`,
    serial: paths.serial,
    qmp: paths.qmp,
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
  Docs     ${ready.api}/docs
  Serial   ${ready.serial}   (socat -,icanon=0,echo=0 UNIX-CONNECT:${ready.serial})
  QMP      ${ready.qmp}
  Console  ${paths.console}
  Pages on this computer are at http://${HOST_ADDRESS}:PORT for the device.
  Ctrl-C or "npm stop" powers the device down.
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
  let machine: Machine | undefined;
  let failed = true;
  try {
    // Only after the name is claimed: the file may belong to a running machine of this name.
    if (request.readyFile) await rm(request.readyFile, { force: true });
    const settings = await Promise.race([prepare(request, paths, apiPort, progress), stop.first]);
    if (typeof settings === 'string') {
      progress.line(`stopped (${settings}) before the machine was started`);
      return 1;
    }
    machine = await Machine.start(settings, paths.qemuLog);
    failed = !(await operate(machine, request, paths, stop, progress));
    return failed ? 1 : 0;
  } finally {
    if (machine?.running) await machine.quit();
    if (request.readyFile) await rm(request.readyFile, { force: true });
    await releaseInstance(paths, failed && machine !== undefined);
  }
}

/** Waits from power-on to power-off. Returns whether the machine ended normally. */
async function operate(
  machine: Machine,
  request: Request,
  paths: InstancePaths,
  stop: ReturnType<typeof stopRequests>,
  progress: Progress,
): Promise<boolean> {
  const kvm = machine.settings.acceleration.kind === 'kvm';
  const timeoutMs = request.bootTimeoutMs ?? (kvm ? 90_000 : 420_000);
  const updateAgent = async (): Promise<'ready'> => {
    if (request.dev) await progress.step('installing the working tree’s agent', () => pushAgent(paths));
    return 'ready';
  };
  const booted = progress.step(
    'booting',
    () => waitForApi(machine, timeoutMs),
    () => tailOf(paths.console, 1),
  );
  const outcome = await Promise.race([booted.then(updateAgent), stop.first]);
  if (outcome === 'ready') {
    progress.line(
      `the API answers ${machine.seconds.toFixed(1)} s after power-on (${progress.elapsed} in all)`,
    );
    await announce(machine, paths, request.readyFile);
    await Promise.race([machine.ended, stop.first]);
  } else booted.catch(() => undefined);
  if (machine.running) {
    progress.line('powering the device down …');
    const powerDownMs = outcome === 'ready' ? POWER_DOWN_MS : POWER_DOWN_BOOTING_MS;
    const clean = await Promise.race([machine.powerDown(powerDownMs), stop.repeated.then(() => false)]);
    if (!clean) progress.line('it did not power off by itself; QEMU was ended');
    await machine.quit();
    return true;
  }
  const { code, signal } = await machine.ended;
  if (code === 0) progress.line('the device powered itself off');
  else progress.line(`QEMU ended (${signal ?? `code ${code}`}): ${await tailOf(paths.qemuLog, 3)}`);
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
