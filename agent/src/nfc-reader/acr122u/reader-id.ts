import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const USB_DEVICES = '/sys/bus/usb/devices';
/** Upper half of a channel id: USB, with the numbers of bus and device below. */
const USB_CHANNEL = 0x0020;

/** A USB device and its place, as `1-1.2`: bus and ports. */
export interface UsbDevice {
  readonly bus: number;
  readonly device: number;
  readonly place: string;
}

/** The computer's USB devices, without those that vanish while they are read. */
export async function readUsbDevices(folder = USB_DEVICES): Promise<UsbDevice[]> {
  const places = await readdir(folder).catch(() => []);
  const devices = await Promise.all(
    places.map(async (place) => {
      const [bus, device] = await Promise.all(
        ['busnum', 'devnum'].map((file) => readFile(join(folder, place, file), 'utf8').catch(() => '')),
      );
      return bus && device ? [{ bus: Number(bus), device: Number(device), place }] : [];
    }),
  );
  return devices.flat();
}

/**
 * A reader's id, which is the same after a reboot if the reader is at the same port: `acr122u-1-1.2`. Pure.
 * @param name pcscd's, which ends with two numbers
 * @param channel SCARD_ATTR_CHANNEL_ID, 4 bytes, the least significant one first; undefined if it is not known
 */
export function readerId(name: string, channel: Buffer | undefined, devices: readonly UsbDevice[]): string {
  if (channel?.length === 4) {
    const [device, bus, low, high] = channel;
    const isUsb = low === USB_CHANNEL && high === 0;
    const found = devices.find((known) => isUsb && known.bus === bus && known.device === device);
    if (found) return `acr122u-${found.place}`;
  }
  const number = /([0-9A-F]+) [0-9A-F]+$/i.exec(name)?.[1];
  return `acr122u-${number === undefined ? 0 : Number.parseInt(number, 16)}`;
}
