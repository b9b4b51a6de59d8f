/** Peripherals and policies for tests. */
import { parseReportDescriptor } from '../hid-report-descriptor.ts';
import type { Policy } from '../policy.ts';
import type { GadgetIdentity, HidPeripheral, SerialPeripheral, UsbPeripheral } from '../ports.ts';
import { parseUsbDescriptors } from '../usb-descriptors.ts';
import { VENDOR } from './report-descriptors.ts';
import { alternate, configuration, device } from './usb-descriptors.ts';

/** How the tests' board appears to a host. */
export const GADGET = { vendorId: 0x1d6b, productId: 0x0104, serialNumber: 'V1' } satisfies GadgetIdentity;
export const ORIGIN = 'https://till.example';

const common = {
  instance: '1',
  vendorId: 0x1209,
  productId: 0x0001,
  manufacturer: 'Acme',
  product: 'Scales',
  serialNumber: 'A1',
  usbDevice: '1-1',
};

/** A HID device with the collections of a report descriptor. */
export function hidPeripheral(
  descriptor: Uint8Array = VENDOR,
  changes: Partial<HidPeripheral> = {},
): HidPeripheral {
  const collections = parseReportDescriptor(descriptor);
  return { ...common, kind: 'hid', id: 'hidraw0', node: '/dev/hidraw0', collections, ...changes };
}

export function serialPeripheral(changes: Partial<SerialPeripheral> = {}): SerialPeripheral {
  return { ...common, kind: 'serial', id: 'ttyACM0', node: '/dev/ttyACM0', ...changes };
}

type Classes = [classCode: number, subclass: number, protocol: number];

/**
 * A USB device with one configuration.
 * @param interfaces alternate settings of the interfaces 0, 1 and so on. Each has an endpoint in and one out, which have
 * the next number from 1
 */
export function usbPeripheral(
  interfaces: Classes[][] = [[[0xff, 1, 2]]],
  changes: Partial<UsbPeripheral> = {},
  deviceClass: Classes = [0, 0, 0],
): UsbPeripheral {
  let endpoint = 0;
  const parts = interfaces.flatMap((settings, number) =>
    settings.map((classes, setting) => {
      endpoint++;
      return alternate([number, setting], classes, [0x80 + endpoint, 2, 64], [endpoint, 2, 64]);
    }),
  );
  const bytes = [device([0x1209, 0x0001], deviceClass), configuration(1, ...parts)].flat();
  const described = parseUsbDescriptors(Uint8Array.from(bytes));
  if (!described) throw new Error('the descriptors are wrong');
  return {
    ...common,
    kind: 'usb',
    id: '1-1',
    node: '/dev/bus/usb/001/002',
    configuration: 1,
    drivers: new Map(),
    ...described,
    ...changes,
  };
}

/** Allows {@link ORIGIN} the peripherals above. */
export function policy(changes: Partial<Policy> = {}): Policy {
  return {
    origins: [ORIGIN],
    hid: { enabled: true, allow: [{ vendorId: 0x1209, productId: 0x0001 }] },
    serial: { enabled: true, allow: [{ usbVendorId: 0x1209, usbProductId: 0x0001 }] },
    usb: {
      enabled: true,
      allow_driver_detach: false,
      allow: [{ vendorId: 0x1209, productId: 0x0001 }],
    },
    ...changes,
  };
}

/** Two configurations, of which the second is not active. */
export function withSecondConfiguration(...classes: Classes): UsbPeripheral {
  const first = usbPeripheral();
  const [second] = usbPeripheral([[classes]]).configurations;
  if (second) first.configurations = [...first.configurations, { ...second, value: 2 }];
  return first;
}
