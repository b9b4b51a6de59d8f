/**
 * `npm run bench:screen`: compares what the device does with its screen with similar programs on the same device, in a
 * container, and prints ratios. What needs a machine is measured in QEMU, if it is named, and everything with `--in qemu`.
 * Without KVM a machine is emulated, which makes both slower.
 */
import { fileURLToPath } from 'node:url';
import { type Figure, printFigure } from '../ci/bench/measure.ts';
import { ensureContainerImage } from '../ci/container/image.ts';
import { requireContainers } from '../ci/container/requirements.ts';
import { readArguments } from '../ci/lib/arguments.ts';
import { command, Problem } from '../ci/lib/problem.ts';
import { ensureImage } from '../ci/qemu/image.ts';
import { setupHost } from '../ci/setup.ts';
import { waitFor } from '../testing/wait.ts';
import { measureOn } from './bench/guest.ts';
import { messageFigures } from './bench/messages.ts';
import { nfcFigures } from './bench/nfc.ts';
import { installPeers } from './bench/peers.ts';
import { peripheralFigures } from './bench/peripherals.ts';
import { recoveryFigures } from './bench/recovery.ts';
import { updateFigures } from './bench/updates.ts';
import { webAppFigures } from './bench/web-app.ts';
import { ContainerDevice } from './harness/container-device.ts';
import type { Device } from './harness/device.ts';
import { PageServer } from './harness/pages.ts';
import { QemuDevice } from './harness/qemu-device.ts';
import { TouchScreen } from './harness/touch-screen.ts';

const ROUNDS = 5;
const TOUCHES = 100;
const DRIVER_MS = 60_000;

async function scriptFigures(device: Device, pages: PageServer): Promise<Figure[]> {
  const url = pages.add('<!doctype html><title>scripts</title>');
  await device.act('POST', '/display/navigate', { url });
  await device.shell.ok('systemd-run --quiet --unit=peer-driver WPEWebDriver --port=4444');
  await waitFor(async () => (await device.shell.run('ss -ltn | grep -q :4444')).code === 0, {
    timeoutMs: DRIVER_MS,
    what: 'WPEWebDriver',
  });
  const { ours, peer } = await measureOn(device, { what: 'scripts', rounds: ROUNDS, url });
  await device.shell.ok('systemctl stop peer-driver');
  const aim = { of: 'ratio', atMost: 0.5 } as const;
  return [{ name: 'execute-js', ours, unit: 'ms', peer: { name: 'WPEWebDriver, cog', values: peer }, aim }];
}

async function screenshotFigures(device: Device, pages: PageServer): Promise<Figure[]> {
  await device.act('POST', '/display/navigate', { url: pages.addColours([16, 32, 200], [160, 220, 20]) });
  await device.waitForColours([16, 32, 200], [160, 220, 20]);
  const runtime = `/run/user/${await device.shell.ok('id -u kiosk')}`;
  const wayland = await device.shell.ok(`cd ${runtime}; ls -d wayland-? | head -1`);
  const { ours, peer } = await measureOn(device, { what: 'screenshots', rounds: ROUNDS, runtime, wayland });
  const aim = { of: 'ratio', atMost: 1.2 } as const;
  return [{ name: 'screenshot', ours, unit: 'ms', peer: { name: 'grim', values: peer }, aim }];
}

async function touchFigures(device: Device): Promise<Figure[]> {
  const touch = await TouchScreen.plug(device);
  const { ours } = await measureOn(device, { what: 'touches', from: 0.2 }, async (isReady) => {
    await waitFor(
      async () => {
        await touch.tap(0.1, 0.5);
        return await isReady();
      },
      { timeoutMs: DRIVER_MS, what: 'the first touch to arrive', intervalMs: 1000 },
    );
    for (let n = 1; n <= TOUCHES; n += 1) {
      await touch.frames([{ id: 0, x: 0.2 + n / 200, y: 0.5, isDown: n < TOUCHES }]);
    }
  });
  await touch.unplug();
  return [{ name: 'touch, from the kernel to the client', ours, unit: 'ms' }];
}

type Measure = (device: Device, pages: PageServer) => Promise<Figure[]>;
const MEASURES: ReadonlyMap<string, Measure> = new Map([
  ['messages', messageFigures],
  ['screenshots', screenshotFigures],
  ['scripts', scriptFigures],
  ['recovery', recoveryFigures],
  ['web-app', webAppFigures],
]);
const MACHINE_MEASURES: ReadonlyMap<string, Measure> = new Map([
  ['nfc', nfcFigures],
  ['peripherals', peripheralFigures],
  ['touches', touchFigures],
  ['updates', updateFigures],
]);
const OPTIONS = {
  in: { type: 'string', value: 'qemu', help: 'measure everything in QEMU' },
} as const;

/** Measures on one device, prints the figures, and gives the names of those that miss their aim. */
async function measureAll(start: () => Promise<Device>, measures: Measure[]): Promise<string[]> {
  if (measures.length === 0) return [];
  const device = await start();
  const pages = await PageServer.start();
  const missed: string[] = [];
  try {
    await device.waitUp();
    console.log(`${device.kind}:`);
    await installPeers(device);
    for (const measure of measures) {
      for (const figure of await measure(device, pages)) if (!printFigure(figure)) missed.push(figure.name);
    }
    return missed;
  } finally {
    await device.discard();
    await pages.close();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await command(async () => {
    const { values, rest } = readArguments('npm run bench:screen -- [NAME…]', OPTIONS);
    if (values.in !== undefined && values.in !== 'qemu') throw new Problem('--in takes "qemu".');
    const all = new Map([...MEASURES, ...MACHINE_MEASURES]);
    const unknown = rest.find((name) => !all.has(name));
    if (unknown !== undefined) {
      throw new Problem(`"${unknown}" is not measured; the names are: ${[...all.keys()].join(', ')}`);
    }
    const chosen = rest.length > 0 ? rest : [...(values.in ? all : MEASURES).keys()];
    const of = (names: string[]): Measure[] => names.flatMap((name) => all.get(name) ?? []);
    const needsMachine = (name: string): boolean => values.in !== undefined || MACHINE_MEASURES.has(name);
    await setupHost('test');
    const missed = [
      ...(await measureAll(
        async () => ContainerDevice.boot({ ...(await ensureContainerImage()), asRoot: requireContainers() }),
        of(chosen.filter((name) => !needsMachine(name))),
      )),
      ...(await measureAll(
        async () => QemuDevice.boot(await ensureImage()),
        of(chosen.filter((name) => needsMachine(name))),
      )),
    ];
    console.log(missed.length === 0 ? 'all targets met' : `missed: ${missed.join(', ')}`);
    return missed.length === 0 ? 0 : 1;
  });
}
