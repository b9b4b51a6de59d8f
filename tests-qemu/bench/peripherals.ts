/** Peripherals from a page, compared with the native modules alone: the way of a HID report and back, and a serial port. */
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { type Figure, interleaved, median } from '../../ci/bench/measure.ts';
import { bundleForGuest } from '../../ci/lab/program.ts';
import { type LabHid, type LabUsb, PeripheralsLab } from '../../ci/peripherals/peripherals-lab.ts';
import { served } from '../../ci/qemu/served.ts';
import { field } from '../../testing/field.ts';
import { waitFor } from '../../testing/wait.ts';
import type { Device } from '../harness/device.ts';
import type { PageServer } from '../harness/pages.ts';
import {
  agentMemory,
  call,
  configureDevices,
  isOf,
  peripheralPage,
  peripherals,
  showPage,
  WAIT_MS,
} from '../harness/peripheral-device.ts';

const ROUNDS = 5;
/** Times of a page have whole milliseconds, so echoes are timed in groups. */
const GROUPS = 20;
const OF_EACH = 10;
const REPORT = '0102030405060708';
const BAUD = 115_200;
const SERIAL_BYTES = 256 * 1024;
const MEASURE_MS = 120_000;
const PROGRAM = '/run/peripherals-bench.cjs';
/** The native modules of the device. */
const MODULES = '/usr/lib/vitrine/agent/node_modules:/usr/lib/vitrine/node_modules';
const NATIVE = ['node-hid', '@serialport/bindings-cpp'];
const Times = Type.Array(Type.Number(), { minItems: 1 });

function timesOf(value: unknown): number[] {
  if (!Value.Check(Times, value)) throw new Error(`these are no times: ${JSON.stringify(value)}`);
  return value;
}

/** Runs peripherals-guest.ts on the device. @returns its times in ms */
async function alone({ shell }: Device, what: 'hid' | 'serial', ...args: unknown[]): Promise<number[]> {
  const output = await shell.ok(`NODE_PATH=${MODULES} node ${PROGRAM} ${what} ${args.join(' ')}`, MEASURE_MS);
  return timesOf(JSON.parse(output.trim().split('\n').at(-1) ?? ''));
}

/** Waits until pages may use a device, and gives its node. */
async function allowedNode(device: Device, lab: LabHid | LabUsb, kind: 'hid' | 'serial'): Promise<string> {
  const found = await waitFor(
    async () =>
      (await peripherals(device)).peripherals.find(
        (each) => isOf(lab, kind)(each) && each.state === 'allowed',
      ),
    { timeoutMs: WAIT_MS, what: 'the device to be allowed' },
  );
  return `/dev/${found.id}`;
}

async function hidEcho(device: Device, url: string, node: string): Promise<Figure> {
  await showPage(device, url);
  const times = await interleaved(
    ROUNDS,
    async () => {
      await call(device, 'open');
      const found = timesOf(await call(device, 'echoTimes', GROUPS, OF_EACH, REPORT));
      await call(device, 'close');
      return median(found);
    },
    async () => median(await alone(device, 'hid', node, GROUPS, OF_EACH)),
  );
  return {
    name: 'HID report from a page and back, p50',
    ours: times.ours,
    unit: 'ms',
    peer: { name: 'node-hid alone', values: times.peer },
  };
}

async function serialEcho(device: Device, url: string, node: string): Promise<Figure> {
  await showPage(device, url);
  const perSecond = (ms: number): number => (SERIAL_BYTES / 1024 / ms) * 1000;
  const rates = await interleaved(
    ROUNDS,
    async () => {
      await call(device, 'open', BAUD);
      const result = await call(device, 'echo', SERIAL_BYTES);
      await call(device, 'close');
      if (field(result, 'same') !== SERIAL_BYTES)
        throw new Error(`bytes are lost: ${JSON.stringify(result)}`);
      return perSecond(Number(field(result, 'ms')));
    },
    async () => perSecond(median(await alone(device, 'serial', node, SERIAL_BYTES))),
  );
  return {
    name: 'serial port of a page, to and fro',
    ours: rates.ours,
    unit: 'KiB/s',
    peer: { name: 'serialport alone', values: rates.peer },
  };
}

export async function peripheralFigures(device: Device, pages: PageServer): Promise<Figure[]> {
  const before = await agentMemory(device);
  await device.act('PATCH', '/config', { browser: { script_timeout_ms: 60_000 } });
  const lab = await PeripheralsLab.start(device.shell);
  try {
    const bundle = await bundleForGuest(new URL('./peripherals-guest.ts', import.meta.url), {
      format: 'cjs',
      external: NATIVE,
    });
    await served(bundle, (url) => device.shell.ok(`busybox wget -q -O ${PROGRAM} ${url}`));
    const hid = await lab.hid('vendor');
    const port = await lab.serial('echo');
    await port.plug();
    await configureDevices(device, {
      origins: [pages.origin],
      hid: { enabled: true, allow: [{ vendorId: hid.vendor, productId: hid.product }] },
      serial: { enabled: true, allow: [{ usbVendorId: port.vendor, usbProductId: port.product }] },
    });
    const hidFigure = await hidEcho(
      device,
      pages.add(await peripheralPage('hid')),
      await allowedNode(device, hid, 'hid'),
    );
    const serialFigure = await serialEcho(
      device,
      pages.add(await peripheralPage('serial')),
      await allowedNode(device, port, 'serial'),
    );
    const after = await agentMemory(device);
    return [
      { name: 'agent’s memory, no peripherals', ours: [before], unit: 'MiB' },
      { name: 'agent’s memory, peripherals used', ours: [after], unit: 'MiB' },
      hidFigure,
      serialFigure,
    ];
  } finally {
    await configureDevices(device, null);
    await device.act('PATCH', '/config', { browser: null });
    await lab.stop();
  }
}
