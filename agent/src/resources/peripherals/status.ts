/** The answer of GET /device/peripherals. */
import { judge, type Policy, type Verdict } from './policy.ts';
import type { GadgetIdentity, Peripheral, UsbPeripheral } from './ports.ts';
import type { Peripheral as Described, Peripherals } from './schema.ts';

/** What the description follows from. */
export interface Situation {
  policy: Policy;
  gadget: GadgetIdentity | undefined;
  peripherals: readonly Peripheral[];
  /** Origin of the page that has a peripheral open, by the peripheral's id. */
  opened: ReadonlyMap<string, string>;
  /** Of the displayed page; null if it has none. */
  pageOrigin: string | null;
  /** Whether the board has a USB host port. */
  hostPort: boolean;
}

/** Describes every peripheral, with what the policy says of it. Without a host port there may be some by Bluetooth. */
export function describe(situation: Situation): Peripherals {
  const { hostPort, pageOrigin, peripherals } = situation;
  return {
    host_port: hostPort,
    page_origin: pageOrigin,
    peripherals: peripherals.map((peripheral) => describeOne(peripheral, situation)),
  };
}

function describeOne(peripheral: Peripheral, { policy, gadget, opened, hostPort }: Situation): Described {
  const { id, kind, usbDevice, vendorId, productId, manufacturer, product, serialNumber } = peripheral;
  const { state, reason, rule, suggestion } = inert(judge(policy, gadget, peripheral), hostPort);
  return {
    ...{ id, kind, usb_device: usbDevice, vendor_id: vendorId, product_id: productId },
    ...{ manufacturer, product, serial_number: serialNumber },
    ...(peripheral.kind === 'hid' && {
      usages: peripheral.collections.map(({ usagePage, usage }) => ({ usage_page: usagePage, usage })),
    }),
    ...(peripheral.kind === 'usb' && usbFields(peripheral)),
    ...{ state, reason, rule, suggestion },
    origins: state === 'allowed' ? [...policy.origins] : [],
    open_by: opened.get(id) ?? null,
  };
}

/** On a board without a host port, the policy allows nothing. */
function inert(verdict: Verdict, hostPort: boolean): Verdict {
  if (hostPort || verdict.state !== 'allowed') return verdict;
  return { ...verdict, state: 'disabled', reason: 'The board has no USB host port.' };
}

function usbFields(device: UsbPeripheral): Pick<Described, 'class' | 'interfaces'> {
  const { classCode, subclass, protocol, configurations, configuration, drivers } = device;
  const active = configurations.find(({ value }) => value === configuration);
  return {
    class: { class_code: classCode, subclass, protocol },
    interfaces: (active?.interfaces ?? []).flatMap(({ number, alternates }) => {
      // The one that is used before a driver selects another (USB 2.0, 9.6.5); its class is nearly always that of all.
      const first = alternates.find(({ setting }) => setting === 0) ?? alternates[0];
      if (!first) return [];
      const codes = { class_code: first.classCode, subclass: first.subclass, protocol: first.protocol };
      return [{ number, ...codes, driver: drivers.get(number) ?? null }];
    }),
  };
}

/** Why the policy has no effect, as sentences for health. */
export function problemsOf({ hid, serial, usb }: Policy, hostPort: boolean): string[] {
  const isUsed = hid.enabled || serial.enabled || usb.enabled;
  if (hostPort || !isUsed) return [];
  return ['Pages may use USB peripherals by the configuration, but the board has no USB host port.'];
}
