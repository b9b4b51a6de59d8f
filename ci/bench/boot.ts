import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorMessage } from '../../agent/src/base/system-error.ts';
import { colourAt, colourCount, decodePng, type Picture, readPpm } from '../../testing/png.ts';
import { waitFor } from '../../testing/wait.ts';
import { Container, type ContainerSettings } from '../container/container.ts';
import { ensureContainerImage } from '../container/image.ts';
import { requireContainers } from '../container/requirements.ts';
import { containerScreen } from '../container/screen.ts';
import { ROOT } from '../lib/places.ts';
import { Problem } from '../lib/problem.ts';
import { type Credential, type VirtualDevice, waitForApi } from '../lib/virtual-device.ts';
import { chooseAcceleration } from '../qemu/acceleration.ts';
import type { MachineSettings } from '../qemu/arguments.ts';
import { makeOverlay } from '../qemu/disk.ts';
import { ensureImage } from '../qemu/image.ts';
import { instancePaths } from '../qemu/instance.ts';
import { Machine } from '../qemu/machine.ts';
import { freePort } from '../qemu/ports.ts';
import { ensureQemu } from '../qemu/program.ts';
import { testCredentials } from '../qemu/test-credentials.ts';
import { type Figure, median } from './measure.ts';

/** Boots of each kind, in turn. Without KVM one in QEMU takes 40 s. */
const MACHINE_ROUNDS = 2;
const CONTAINER_ROUNDS = 5;
const BOOT_TIMEOUT_MS = 150_000;
const LOOK_EVERY_MS = { machine: 250, container: 20 };
const UNITS = join(ROOT, 'ci/bench/units');

/** Seconds from power-on. */
interface Boot {
  api: number;
  frame: number;
}

/** Whether the picture is the waiting page: not the black of the firmware and the console, and with text. */
function isPage(picture: Picture): boolean {
  const corner = colourAt(picture, 4, 4);
  return Math.max(...corner) > 12 && colourCount(picture, 16) >= 16;
}

/** Waits for the first answer of the API, if there is an agent, and for the first frame; then ends the device. */
async function boot(
  device: VirtualDevice,
  consoleFile: string,
  look: () => Promise<Picture>,
  lookEveryMs: number,
  withAgent: boolean,
): Promise<Boot> {
  try {
    const api = withAgent
      ? waitForApi(device, BOOT_TIMEOUT_MS, lookEveryMs).then(() => device.seconds)
      : Promise.resolve(Number.NaN);
    const frame = waitFor(async () => isPage(await look()), {
      timeoutMs: BOOT_TIMEOUT_MS,
      what: 'the first frame',
      intervalMs: lookEveryMs,
    }).then(() => device.seconds);
    const [apiSeconds, frameSeconds] = await Promise.all([api, frame]);
    return { api: apiSeconds, frame: frameSeconds };
  } catch (error) {
    const end = (await readFile(consoleFile, 'utf8').catch(() => '')).slice(-2000);
    throw new Problem(`${errorMessage(error)}; the end of the console:\n${end}`);
  } finally {
    await device.quit();
  }
}

const WANTS_AGENT = 'Wants=vitrine-agent.service';

/** The peer's units, which take the place of agent and kiosk: the kiosk without an agent shows a page of its own. */
async function peerUnits(folder: string): Promise<Credential[]> {
  const page = `data:text/html,<body style='background:%%2310151e;color:%%23fff;font:80px sans-serif'>Waiting`;
  const kiosk = await readFile(join(ROOT, 'overlay/usr/lib/systemd/system/vitrine-kiosk.service'), 'utf8');
  const file = join(folder, 'b.service');
  if (!kiosk.includes(WANTS_AGENT)) throw new Error(`the kiosk's unit has no line ${WANTS_AGENT}`);
  const alone = kiosk.replace(WANTS_AGENT, '').replace(/^ExecStart=.*/m, `$& "${page}"`);
  await writeFile(file, alone);
  const names = await readdir(UNITS);
  return [
    { name: 'systemd.extra-unit.b.service', file },
    ...names.map((name) => ({ name, file: join(UNITS, name) })),
  ];
}

/** Boots a machine from its factory disk. */
async function bootMachine(folder: string, withAgent: boolean): Promise<Boot> {
  const qemu = await ensureQemu();
  const image = await ensureImage();
  const paths = instancePaths(`bench-${process.pid}`);
  await mkdir(paths.folder, { recursive: true, mode: 0o700 });
  const disk = join(folder, 'boot.qcow2');
  await makeOverlay(qemu, disk, image.disk);
  const settings: MachineSettings = {
    qemu,
    acceleration: await chooseAcceleration(qemu, image.kernel),
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
    credentials: withAgent ? [] : await peerUnits(folder),
  };
  try {
    const machine = await Machine.start(settings, paths.qemuLog);
    const file = join(paths.folder, 'screen.png');
    const look = async (): Promise<Picture> => {
      await machine.qmp.execute('screendump', { filename: file, format: 'png' });
      return decodePng(await readFile(file));
    };
    return await boot(machine, paths.console, look, LOOK_EVERY_MS.machine, withAgent);
  } finally {
    await rm(paths.folder, { recursive: true, force: true });
  }
}

/** Starts a factory-new container. */
async function bootContainer(folder: string, withAgent: boolean): Promise<Boot> {
  const paths = instancePaths(`bench-${process.pid}`);
  await mkdir(paths.folder, { recursive: true, mode: 0o700 });
  const data = join(folder, 'boot.ext4');
  await rm(data, { force: true });
  const kiosk = join(ROOT, 'ci/container/credentials/systemd.unit-dropin.vitrine-kiosk.service');
  // The container has a drop-in of its own for the root slice.
  const peer = (await peerUnits(folder)).map(({ name, file }) => ({
    name: name.replace('.slice', '.slice~peer'),
    file,
  }));
  const settings: ContainerSettings = {
    ...(await ensureContainerImage()),
    asRoot: requireContainers(),
    folder: paths.folder,
    data,
    console: paths.console,
    apiPort: await freePort(0),
    httpsPort: await freePort(0),
    serialNumber: 'VIRT-BENCH',
    credentials: [
      ...(await testCredentials('container')),
      ...(withAgent ? [] : [...peer, { name: 'systemd.unit-dropin.b.service', file: kiosk }]),
    ],
  };
  try {
    const container = await Container.start(settings);
    const look = async (): Promise<Picture> => readPpm(await containerScreen(container));
    return await boot(container, paths.console, look, LOOK_EVERY_MS.container, withAgent);
  } finally {
    await rm(paths.folder, { recursive: true, force: true });
  }
}

/**
 * From power-on to the first answer of the API and to the waiting page on the screen, against the same image with only
 * compositor and browser, in QEMU and in a container. Each boot is the first one of a new device.
 */
export async function bootFigures(_agent: string, folder: string): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [place, rounds, start] of [
    ['QEMU', MACHINE_ROUNDS, bootMachine],
    ['container', CONTAINER_ROUNDS, bootContainer],
  ] as const) {
    const [ours, bare]: [Boot[], Boot[]] = [[], []];
    for (let round = 0; round < rounds; round++) {
      ours.push(await start(folder, true));
      bare.push(await start(folder, false));
    }
    const peer = { name: 'same image, only cage and browser', values: bare.map(({ frame }) => frame) };
    for (const [what, seconds] of [
      ['first frame', ours.map(({ frame }) => frame)],
      ['first API answer', ours.map(({ api }) => api)],
    ] as const) {
      figures.push({ name: `boot to ${what}, ${place}`, ours: seconds, unit: 's', peer });
    }
    if (place !== 'container') continue;
    const more = median(ours.map(({ frame }) => frame)) - median(peer.values);
    figures.push({
      name: 'first frame: more than the bare image',
      ours: [more],
      unit: 's',
      aim: { of: 'value', atMost: 1 },
    });
  }
  return figures;
}
