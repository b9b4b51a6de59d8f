/** Finds the devices of this computer. For Node. */
import { USUAL_ADDRESS } from './addresses.ts';
import { connect } from './connect.ts';
import type { ResponseOf } from './contract.ts';
import { announcedAddresses } from './mdns.ts';
import { openSerial } from './serial.ts';
import { virtualDevices } from './virtual-devices.ts';

/** Of the gadget at the cable (docs/serial-link.md). Others have these, too: only a device greets. */
const USB = { vendorId: '1d6b', productId: '0104' };

interface Limits {
  timeoutMs: number;
  signal?: AbortSignal;
}

export interface FoundDevice {
  /** For `connect`: an origin or a serial port. */
  address: string;
  serial: string;
  name: string;
  model: string;
  version: string;
}

/**
 * The devices that are announced to this computer, that at the usual address, those that `npm start` runs, and those on its
 * serial ports: each link by itself, so a device may be there twice.
 * @param timeoutMs for each to answer
 */
export async function discover({
  timeoutMs = 2000,
  signal,
}: {
  timeoutMs?: number;
  signal?: AbortSignal;
} = {}): Promise<FoundDevice[]> {
  const limits = { timeoutMs, ...(signal && { signal }) };
  // Before the first question: nobody would wait for an answer that fails meanwhile.
  const [virtual, ports] = await Promise.all([virtualDevices(), serialPorts()]);
  const [network, serial] = await Promise.all([
    overNetwork([USUAL_ADDRESS, ...virtual], limits),
    all(ports.map((path) => askSerial(path, timeoutMs))),
  ]);
  return [...network, ...serial];
}

/** Each once: at its own address, if it has told that. */
async function overNetwork(origins: readonly string[], limits: Limits): Promise<FoundDevice[]> {
  const ask = (list: readonly string[]) => all(list.map((origin) => askNetwork(origin, limits)));
  const [known, announced] = await Promise.all([
    ask(origins),
    announcedAddresses(limits.signal).then((addresses) =>
      ask(addresses.map((address) => `http://${address}`)),
    ),
  ]);
  const found = [...announced, ...known];
  return found.filter(({ serial }, index) => index === found.findIndex((other) => other.serial === serial));
}

async function all(asked: Promise<FoundDevice>[]): Promise<FoundDevice[]> {
  const answers = await Promise.all(asked.map((one) => one.catch(() => undefined)));
  return answers.filter((one) => one !== undefined);
}

async function askNetwork(address: string, limits: Limits): Promise<FoundDevice> {
  const device = await connect(address);
  try {
    const { serial, name, model, version }: ResponseOf<'GET', '/device'> = await device.get(
      '/device',
      limits,
    );
    return { address, serial, name, model, version };
  } finally {
    await device.close();
  }
}

/** Waits for the greeting, which a device sends when it is asked. */
async function askSerial(path: string, timeoutMs: number): Promise<FoundDevice> {
  const link = await openSerial(path);
  try {
    link.send({ type: 'hello' });
    const { serial, name, model, version } = await link.frame('hello', undefined, timeoutMs);
    const facts = { serial: String(serial), name: String(name) };
    return { address: path, ...facts, model: String(model), version: String(version) };
  } finally {
    await link.close();
  }
}

/** The serial ports of gadgets; none without the package serialport. */
async function serialPorts(): Promise<string[]> {
  const module = await import('serialport').catch(() => undefined);
  const ports = (await module?.SerialPort.list().catch(() => [])) ?? [];
  const isOurs = (port: { vendorId?: string | undefined; productId?: string | undefined }): boolean =>
    port.vendorId?.toLowerCase() === USB.vendorId && port.productId?.toLowerCase() === USB.productId;
  return ports.filter(isOurs).map(({ path }) => path);
}
