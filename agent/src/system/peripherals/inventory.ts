import { readdir, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Logger } from '../../base/logger.ts';
import { Mutex } from '../../base/mutex.ts';
import { withTimeout } from '../../base/timeout.ts';
import { parseReportDescriptor } from '../../resources/peripherals/hid-report-descriptor.ts';
import type {
  GadgetIdentity,
  HidPeripheral,
  Peripheral,
  PeripheralInventory,
  SerialPeripheral,
  UsbPeripheral,
} from '../../resources/peripherals/ports.ts';
import { parseUsbDescriptors, type UsbConfiguration } from '../../resources/peripherals/usb-descriptors.ts';
import { deviceString, readAttribute, readAttributeBytes, readNumber, readString } from './sysfs.ts';
import { watchDeviceNodes } from './watch.ts';

const HIDRAW = 'sys/class/hidraw';
const TTY = 'sys/class/tty';
const USB = 'sys/bus/usb/devices';
/** Made by overlay/usr/lib/vitrine/gadget. */
const GADGET = 'sys/kernel/config/usb_gadget/vitrine';

const MAX_PERIPHERALS = 128;
/** Entries of a folder that are looked at: there may be many ttys that are not on USB. */
const MAX_ENTRIES = 1024;
/** Some attributes wait until the kernel is done with the device, in ms. */
const READ_TIMEOUT_MS = 10_000;
/** How often the number of a device that is being reset is read: once before and once after it, and some to spare. */
const DEVNUM_READINGS = 5;
const MAX_DESCRIPTOR_BYTES = 16 * 1024;

/** A port, as `1-1.2`: not `usb1`, which is a root hub, and not `1-1:1.0`, an interface. */
const USB_DEVICE = /^\d+-\d+(?:\.\d+)*$/;
/** The driver of an interface that a program has claimed: it is none of the kernel's. */
const CLAIMED = 'usbfs';

export interface SysfsInventoryOptions {
  log: Logger;
  /** Prefix of all system paths, for tests. */
  root?: string;
}

/** The peripherals that the kernel lists in sysfs. What cannot be read completely has just been unplugged. */
export class SysfsInventory implements PeripheralInventory {
  readonly #log: Logger;
  readonly #root: string;
  /** By USB device. */
  readonly #turns = new Map<string, Mutex>();

  constructor({ log, root = '/' }: SysfsInventoryOptions) {
    this.#log = log;
    this.#root = root;
  }

  async list(): Promise<readonly Peripheral[]> {
    const kinds = await Promise.all([
      this.#each(HIDRAW, /^hidraw\d+$/, (name) => this.#hid(name)),
      this.#each(TTY, /^tty[A-Z]+\d+$/, (name) => this.#serial(name)),
      this.#each(USB, USB_DEVICE, (name) => this.#usb(name)),
    ]);
    return kinds.flat().slice(0, MAX_PERIPHERALS);
  }

  async gadget(): Promise<GadgetIdentity | undefined> {
    const folder = join(this.#root, GADGET);
    const [controller, vendorId, productId, serialNumber] = await Promise.all([
      readAttribute(join(folder, 'UDC')),
      readNumber(join(folder, 'idVendor'), 16),
      readNumber(join(folder, 'idProduct'), 16),
      readString(join(folder, 'strings/0x409/serialnumber')),
    ]);
    return controller && vendorId !== null && productId !== null
      ? { vendorId, productId, serialNumber }
      : undefined;
  }

  watch(listener: () => void): () => void {
    return watchDeviceNodes(this.#root, this.#log, listener);
  }

  async #each<P extends Peripheral>(
    folder: string,
    pattern: RegExp,
    read: (name: string) => Promise<P | undefined>,
  ): Promise<P[]> {
    const names = await readdir(join(this.#root, folder)).catch((): string[] => []);
    const found = await Promise.all(
      names
        .filter((name) => pattern.test(name))
        .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
        .slice(0, MAX_ENTRIES)
        .map((name) => withTimeout(read(name), READ_TIMEOUT_MS).catch(() => undefined)),
    );
    return found.filter((one) => one !== undefined);
  }

  async #hid(id: string): Promise<HidPeripheral | undefined> {
    // Its name ends with a number that is not used again: 0003:1209:0001.0004.
    const device = await realpath(join(this.#root, HIDRAW, id, 'device'));
    const uevent = (await readAttribute(join(device, 'uevent'))) ?? '';
    const value = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(uevent)?.[1];
    const [, vendor, product] =
      /^[0-9A-F]{4}:([0-9A-F]{8}):([0-9A-F]{8})$/i.exec(value('HID_ID') ?? '') ?? [];
    if (vendor === undefined || product === undefined) return undefined;
    const descriptor = await readAttributeBytes(join(device, 'report_descriptor'), MAX_DESCRIPTOR_BYTES);
    const [, usbDevice] = /^([\d.-]+):\d+\.\d+$/.exec(basename(dirname(device))) ?? [];
    return {
      kind: 'hid',
      id,
      instance: await instanceOf(device),
      node: `/dev/${id}`,
      vendorId: Number.parseInt(vendor, 16) & 0xffff,
      productId: Number.parseInt(product, 16) & 0xffff,
      manufacturer: usbDevice ? await this.#lockedString(usbDevice, 'manufacturer') : null,
      product: deviceString(value('HID_NAME')),
      serialNumber: deviceString(value('HID_UNIQ')),
      usbDevice: usbDevice ?? null,
      collections: descriptor ? parseReportDescriptor(descriptor) : [],
    };
  }

  /** Undefined also for a tty that is no interface of a USB device, or of a serial port of one. */
  async #serial(id: string): Promise<SerialPeripheral | undefined> {
    const path = await realpath(join(this.#root, TTY, id));
    const [, usbDevice] = /\/([\d.-]+)\/\1:\d+\.\d+(?:\/tty\w+)?\/tty\/[^/]+$/.exec(path) ?? [];
    if (usbDevice === undefined) return undefined;
    const [instance, vendorId, productId, strings] = await Promise.all([
      instanceOf(path),
      readNumber(this.#usbPath(usbDevice, 'idVendor'), 16),
      readNumber(this.#usbPath(usbDevice, 'idProduct'), 16),
      this.#usbStrings(usbDevice),
    ]);
    if (vendorId === null || productId === null) return undefined;
    return {
      kind: 'serial',
      id,
      instance,
      node: `/dev/${id}`,
      vendorId,
      productId,
      ...strings,
      usbDevice,
    };
  }

  /** Undefined also for a device whose descriptors are none. */
  async #usb(id: string): Promise<UsbPeripheral | undefined> {
    const [instance, bytes, busnum, devnum, configuration, strings, state] = await Promise.all([
      realpath(this.#usbPath(id)).then(instanceOf),
      readAttributeBytes(this.#usbPath(id, 'descriptors'), MAX_DESCRIPTOR_BYTES),
      readNumber(this.#usbPath(id, 'busnum'), 10),
      this.#deviceNumber(id),
      this.#activeConfiguration(id),
      this.#usbStrings(id),
      this.#activeState(id),
    ]);
    const described = bytes && parseUsbDescriptors(bytes);
    if (!described || busnum === null || devnum === null) return undefined;
    const [bus, device] = [busnum, devnum].map((number) => String(number).padStart(3, '0'));
    return {
      kind: 'usb',
      id,
      instance,
      node: `/dev/bus/usb/${bus}/${device}`,
      ...strings,
      usbDevice: id,
      ...described,
      configuration,
      configurations: described.configurations.map((one) =>
        one.value === configuration ? withNames(one, state) : one,
      ),
      drivers: new Map(
        [...state.interfaces].flatMap(([number, { driver }]) => (driver ? [[number, driver]] : [])),
      ),
    };
  }

  /** The device's number on its bus; null if it has none. The kernel shows 0 while it resets the device. */
  async #deviceNumber(id: string): Promise<number | null> {
    for (let reading = 0; reading < DEVNUM_READINGS; reading += 1) {
      const devnum = await readNumber(this.#usbPath(id, 'devnum'), 10);
      if (devnum !== 0) return devnum;
      // Waits for the end of the reset.
      await this.#activeConfiguration(id);
    }
    return null;
  }

  async #activeConfiguration(id: string): Promise<number | null> {
    return await this.#inTurn(id, () => readNumber(this.#usbPath(id, 'bConfigurationValue'), 10));
  }

  async #usbStrings(id: string) {
    const [manufacturer, product, serialNumber] = await Promise.all(
      ['manufacturer', 'product', 'serial'].map((name) => this.#lockedString(id, name)),
    );
    return {
      manufacturer: manufacturer ?? null,
      product: product ?? null,
      serialNumber: serialNumber ?? null,
    };
  }

  /** What sysfs has of the active configuration: its name, and of each interface the driver and the selected setting. */
  async #activeState(id: string): Promise<ActiveState> {
    const numbers = (await readdir(this.#usbPath(id))).flatMap((name) => {
      const [device, rest] = name.split(':');
      return device === id && /^\d+\.\d+$/.test(rest ?? '')
        ? [[name, Number(rest?.split('.')[1])] as const]
        : [];
    });
    const interfaces = numbers.slice(0, MAX_INTERFACES).map(async ([folder, number]) => {
      const path = this.#usbPath(id, folder);
      const [driver, setting, name] = await Promise.all([
        readlink(join(path, 'driver')).then(basename, () => undefined),
        readNumber(join(path, 'bAlternateSetting'), 10),
        readString(join(path, 'interface')),
      ]);
      return [number, { driver: driver === CLAIMED ? undefined : driver, setting, name }] as const;
    });
    return {
      name: await this.#lockedString(id, 'configuration'),
      interfaces: new Map(await Promise.all(interfaces)),
    };
  }

  async #lockedString(id: string, name: string): Promise<string | null> {
    return await this.#inTurn(id, () => readString(this.#usbPath(id, name)));
  }

  /**
   * Reads an attribute for which the kernel locks the USB device (drivers/usb/core/sysfs.c), one at a time: while a device
   * is reset or does not answer, each read blocks one of the four threads that the agent has for all files.
   */
  async #inTurn<T>(id: string, read: () => Promise<T>): Promise<T> {
    const turn = this.#turns.get(id) ?? new Mutex();
    this.#turns.set(id, turn);
    try {
      return await turn.run(read);
    } finally {
      if (turn.waiting === 0) this.#turns.delete(id);
    }
  }

  #usbPath(id: string, name = ''): string {
    return join(this.#root, USB, id, name);
  }
}

/** Interfaces of a configuration that the kernel takes (USB_MAXINTERFACES). */
const MAX_INTERFACES = 32;

interface ActiveState {
  name: string | null;
  interfaces: ReadonlyMap<
    number,
    { driver: string | undefined; setting: number | null; name: string | null }
  >;
}

/** The number of the folder's inode is not used again until the next boot. */
async function instanceOf(path: string): Promise<string> {
  const { ino } = await stat(path, { bigint: true });
  return `${path}#${ino}`;
}

function withNames(configuration: UsbConfiguration, { name, interfaces }: ActiveState): UsbConfiguration {
  return {
    ...configuration,
    name,
    interfaces: configuration.interfaces.map(({ number, alternates }) => {
      const selected = interfaces.get(number);
      return {
        number,
        alternates: alternates.map((one) =>
          one.setting === selected?.setting ? { ...one, name: selected.name } : one,
        ),
      };
    }),
  };
}
