import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { waitFor } from '../../lib/wait.ts';
import { ROOT } from '../lib/places.ts';
import { colourAt, colourCount, decodePng } from '../lib/png.ts';
import { waitForApi } from '../lib/virtual-device.ts';

import { chooseAcceleration } from '../qemu/acceleration.ts';
import type { MachineSettings } from '../qemu/arguments.ts';
import { makeOverlay } from '../qemu/disk.ts';
import { type BuiltImage, ensureImage } from '../qemu/image.ts';
import { instancePaths } from '../qemu/instance.ts';
import { Machine } from '../qemu/machine.ts';
import { freePort } from '../qemu/ports.ts';
import { qemuVersion } from '../qemu/program.ts';
import { GuestShell } from '../qemu/shell.ts';
import { testCredentials } from '../qemu/test-credentials.ts';
import { type Figure, median, runNode } from './measure.ts';

/** Each a boot from the factory and one after it; the second is what a device does every day. */
const ROUNDS = 2;
const BOOT_TIMEOUT_MS = 300_000;
const LOOK_EVERY_MS = 250;
const STARTS = 5;
const UNITS = join(ROOT, 'ci/bench/units');

/** Seconds from power-on. */
interface Boot {
  api: number | undefined;
  frame: number;
}

/** Whether the picture is the waiting page: not the black of the firmware and the console, and with text. */
async function showsPage(machine: Machine, file: string): Promise<boolean> {
  await machine.qmp.execute('screendump', { filename: file, format: 'png' });
  const picture = decodePng(await readFile(file));
  const corner = colourAt(picture, 4, 4);
  return Math.max(...corner) > 12 && colourCount(picture, 16) >= 16;
}

async function boot(settings: MachineSettings, folder: string, withAgent: boolean): Promise<Boot> {
  const machine = await Machine.start(settings, join(folder, 'qemu.log'));
  try {
    const api = withAgent
      ? waitForApi(machine, BOOT_TIMEOUT_MS).then(() => machine.seconds)
      : Promise.resolve(undefined);
    const frame = waitFor(() => showsPage(machine, join(folder, 'screen.png')), {
      timeoutMs: BOOT_TIMEOUT_MS,
      what: 'the first frame',
      intervalMs: LOOK_EVERY_MS,
    }).then(() => machine.seconds);
    const [apiSeconds, frameSeconds] = await Promise.all([api, frame]);
    return { api: apiSeconds, frame: frameSeconds };
  } finally {
    if (!(await machine.powerDown(60_000))) await machine.quit();
  }
}

/** A machine with a disk of its own; without agent, the peer's units take the place of agent and kiosk. */
async function machineSettings(
  image: BuiltImage,
  folder: string,
  withAgent: boolean,
): Promise<MachineSettings> {
  const paths = instancePaths(`bench-${process.pid}`);
  const disk = join(folder, `${withAgent ? 'ours' : 'bare'}.qcow2`);
  await makeOverlay(disk, image.disk);
  const names = withAgent ? [] : await readdir(UNITS);
  return {
    acceleration: await chooseAcceleration(image.kernel, qemuVersion()),
    firmware: image.firmware,
    disk,
    diskCache: 'unsafe',
    console: paths.console,
    monitors: [paths.control],
    ports: [],
    apiPort: await freePort(0),
    httpsPort: await freePort(0),
    screen: 'vnc',
    serialNumber: 'VIRT-BENCH',
    credentials: names.map((name) => ({ name, file: join(UNITS, name) })),
  };
}

/** How many times as long Node takes to start and end in the machine as on this computer. */
async function slowness(settings: MachineSettings, shellSocket: string, log: string): Promise<number> {
  const machine = await Machine.start(
    {
      ...settings,
      ports: [{ name: 'org.vitrine.shell', socket: shellSocket }],
      credentials: await testCredentials(),
    },
    log,
  );
  try {
    const shell = await GuestShell.connect(shellSocket);
    await waitForApi(machine, BOOT_TIMEOUT_MS);
    await shell.ready(BOOT_TIMEOUT_MS);
    const guest: number[] = [];
    const host: number[] = [];
    for (let round = 0; round < STARTS; round++) {
      const times = await shell.ok('read a b </proc/uptime; node -e 0; read c d </proc/uptime; echo $a $c');
      const [before = Number.NaN, after = Number.NaN] = times.trim().split(' ').map(Number);
      guest.push((after - before) * 1000);
      host.push((await runNode(['-e', '0'])).ms);
    }
    shell.close();
    return median(guest) / median(host);
  } finally {
    if (!(await machine.powerDown(60_000))) await machine.quit();
  }
}

/** Boots of one kind: the first on a new disk is left out. */
async function boots(image: BuiltImage, folder: string, withAgent: boolean): Promise<Boot[]> {
  const paths = instancePaths(`bench-${process.pid}`);
  await mkdir(paths.folder, { recursive: true, mode: 0o700 });
  const settings = await machineSettings(image, folder, withAgent);
  const found: Boot[] = [];
  try {
    for (let round = 0; round <= ROUNDS; round++) found.push(await boot(settings, paths.folder, withAgent));
  } finally {
    await rm(paths.folder, { recursive: true, force: true });
  }
  return found.slice(1);
}

/**
 * From power-on to the first answer of the API and to the waiting page on the screen, against the same image with only
 * compositor and browser. Without KVM all of it is emulated; what that multiplies is measured by Node's own start, and
 * the aim is judged on the difference with it taken out.
 */
export async function bootFigures(folder: string): Promise<Figure[]> {
  const image = await ensureImage();
  const ours = await boots(image, folder, true);
  const bare = await boots(image, folder, false);
  const paths = instancePaths(`bench-${process.pid}`);
  await mkdir(paths.folder, { recursive: true, mode: 0o700 });
  let factor = 1;
  try {
    const settings = await machineSettings(image, folder, true);
    if (settings.acceleration.kind !== 'kvm') {
      factor = await slowness(settings, paths.shell, join(paths.folder, 'qemu.log'));
    }
  } finally {
    await rm(paths.folder, { recursive: true, force: true });
  }
  const note = factor === 1 ? '' : ` (emulated, ${factor.toFixed(0)} × slower)`;
  const bareFrames = bare.map((one) => one.frame);
  const peer = { name: 'same image, only cage and browser', values: bareFrames };
  const bareFrame = median(bareFrames);
  const figures: Figure[] = [];
  for (const [what, seconds] of [
    ['first frame', ours.map((one) => one.frame)],
    ['first API answer', ours.map((one) => one.api ?? Number.NaN)],
  ] as const) {
    figures.push({ name: `boot to ${what}${note}`, ours: seconds, unit: 's', peer });
    figures.push({
      name: `${what}: more than the bare image, native`,
      ours: seconds.map((each) => (each - bareFrame) / factor),
      unit: 's',
      aim: { of: 'value', atMost: 1 },
    });
  }
  return figures;
}
