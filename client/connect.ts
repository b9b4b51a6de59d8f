/** Finds the way to a device from an address. For Node. */
import { BASE_PATH } from '../agent/src/contract/api.ts';
import { USUAL_ADDRESS } from './addresses.ts';
import type { Transport } from './client.ts';
import { Device } from './device.ts';
import { httpTransport } from './http.ts';
import { openGreeted, type SerialChannel } from './serial.ts';

export interface ConnectOptions {
  /** Time limit of requests that name none, in ms. */
  timeoutMs?: number;
}

/**
 * A device at an address. Over the network nothing is sent yet; a serial link is opened, and the device there says hello.
 * @param address `http://10.55.77.1`, `https://lobby.local`, `10.55.77.1`; `/dev/ttyACM0`, `COM3`, or the unix socket of a
 *   virtual device
 * @throws SerialPortError when a serial link cannot be opened, or no device answers
 */
export async function connect(
  address: string = USUAL_ADDRESS,
  options: ConnectOptions = {},
): Promise<Device> {
  const place = placeOf(address);
  if (place.kind === 'network') return new Device(httpTransport(place.base, { keepAlive: true }), options);
  const transport = serialTransport(place.path);
  // Says at once that the port does not exist, is used by another program, or belongs to another device.
  await transport.openChannel();
  return new Device(transport, options);
}

export type Place = { kind: 'network'; base: string } | { kind: 'serial'; path: string };

/** What an address means. Pure. @throws Error for one that cannot be understood */
export function placeOf(address: string): Place {
  if (/^(?:[\\/.]|COM\d+$|unix:)/i.test(address))
    return { kind: 'serial', path: address.replace(/^unix:/, '') };
  const text = /^https?:\/\//i.test(address) ? address : `http://${address}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || /\s/.test(address)) {
    throw new Error(
      `"${address}" is no address of a device: give http://10.55.77.1, a host name, or a serial port such as /dev/ttyACM0`,
    );
  }
  return { kind: 'network', base: url.origin + BASE_PATH };
}

/** The serial link, which is opened again for the next request when it was lost. */
export function serialTransport(path: string, open = openGreeted): Transport {
  let current: Promise<SerialChannel> | undefined;
  let isClosed = false;
  const channel = (): Promise<SerialChannel> => {
    if (isClosed) return Promise.reject(new Error('this program has closed the serial link'));
    if (current) return current;
    const opening = open(path);
    current = opening;
    const forget = (): void => {
      if (current === opening) current = undefined;
    };
    opening.then((opened) => opened.ended.then(forget), forget);
    return opening;
  };
  return {
    carriesEvents: true,
    request: async (method, way, options) => (await channel()).request(method, way, options),
    openChannel: channel,
    close: async () => {
      isClosed = true;
      await (await current?.catch(() => undefined))?.close();
    },
  };
}
