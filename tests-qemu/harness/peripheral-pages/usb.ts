/** A page for a USB device that gives back what it gets, written from the standard only (https://wicg.github.io/webusb/). */
import { bytesOf, expose, hexOf, pattern, present } from './tools.ts';

const PART = 16 * 1024;
const VENDOR: Pick<USBControlTransferParameters, 'requestType' | 'recipient'> = {
  requestType: 'vendor',
  recipient: 'device',
};
const events: string[] = [];
let device: USBDevice | undefined;

if ('usb' in navigator) {
  for (const type of ['connect', 'disconnect'] as const) {
    navigator.usb.addEventListener(type, (event) => events.push(`${type} ${event.device.productName}`));
  }
}

function endpoint(direction: USBDirection, type: USBEndpointType): number {
  const first = device?.configuration?.interfaces.find(({ interfaceNumber }) => interfaceNumber === 0);
  const found = first?.alternate.endpoints.find((each) => each.direction === direction && each.type === type);
  return present(found, `${type} endpoint`).endpointNumber;
}

async function echo(count: number): Promise<number> {
  const opened = present(device, 'device');
  const sent = pattern(count);
  const received: number[] = [];
  const sending = async (): Promise<void> => {
    for (let at = 0; at < count; at += PART) {
      const { status } = await opened.transferOut(endpoint('out', 'bulk'), sent.slice(at, at + PART));
      if (status !== 'ok') throw new Error(`the transfer ended with ${status}`);
    }
  };
  const receiving = async (): Promise<void> => {
    while (received.length < count) {
      const { data } = await opened.transferIn(
        endpoint('in', 'bulk'),
        Math.min(PART, count - received.length),
      );
      if (data) received.push(...new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    }
  };
  await Promise.all([sending(), receiving()]);
  return received.filter((byte, at) => byte === sent[at]).length;
}

expose(
  {
    found: async () => {
      if (!('usb' in navigator)) return null;
      return (await navigator.usb.getDevices()).map(({ vendorId, productId, productName, serialNumber }) => ({
        ...{ vendorId, productId, productName, serialNumber },
      }));
    },
    requested: async (filters: USBDeviceFilter[]) =>
      (await navigator.usb.requestDevice({ filters })).productName,
    open: async () => {
      [device] = await navigator.usb.getDevices();
      const found = present(device, 'device');
      await found.open();
      if (found.configuration === null) await found.selectConfiguration(1);
      return found.configurations.map(({ interfaces }) =>
        interfaces.map(({ interfaceNumber, alternate }) => [interfaceNumber, alternate.interfaceClass]),
      );
    },
    isOpen: async () => device?.opened ?? false,
    claim: async (number: number) => await present(device, 'device').claimInterface(number),
    close: async () => await device?.close(),
    echo,
    /** Waits for bytes that do not come. */
    receive: async () => (await present(device, 'device').transferIn(endpoint('in', 'bulk'), 64)).status,
    clear: async () => await present(device, 'device').clearHalt('in', endpoint('in', 'bulk')),
    event: async () => {
      const { data } = await present(device, 'device').transferIn(endpoint('in', 'interrupt'), 64);
      return data && hexOf(data);
    },
    controlIn: async (request: number, value: number, index: number, length: number) => {
      const setup = { ...VENDOR, request, value, index };
      const { status, data } = await present(device, 'device').controlTransferIn(setup, length);
      return [status, data && hexOf(data)];
    },
    controlOut: async (request: number, hex: string) => {
      const setup = { ...VENDOR, request, value: 0, index: 0 };
      const { status, bytesWritten } = await present(device, 'device').controlTransferOut(
        setup,
        bytesOf(hex),
      );
      return [status, bytesWritten];
    },
  },
  events,
);
