/** Finds the devices of this computer. For Node. */
import { connect, USUAL_ADDRESS } from './connect.ts';
import type { ResponseOf } from './contract.ts';
import { openSerial } from './serial.ts';
import { virtualDevices } from './virtual-devices.ts';

/** Of the gadget at the cable (docs/serial-link.md). Others have these, too: only a device greets. */
const USB = { vendorId: '1d6b', productId: '0104' };

export interface FoundDevice {
  /** For `connect`: an origin or a serial port. */
  address: string;
  serial: string;
  name: string;
  /** Over the network only. */
  model?: string;
  version?: string;
}

/**
 * The devices at the usual address and on the serial ports of this computer, each link by itself.
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
  const asked = [
    ...[USUAL_ADDRESS, ...virtual].map((origin) => askNetwork(origin, limits)),
    ...ports.map((path) => askSerial(path, timeoutMs)),
  ];
  const answers = await Promise.all(asked.map((one) => one.catch(() => undefined)));
  return answers.filter((one) => one !== undefined);
}

async function askNetwork(
  address: string,
  limits: { timeoutMs: number; signal?: AbortSignal },
): Promise<FoundDevice> {
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
    const { serial, name } = await link.frame('hello', undefined, timeoutMs);
    return { address: path, serial: String(serial), name: String(name) };
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
