/** Peripherals by the USB device that they belong to. Pure. */
import type { ResponseOf } from '../../../../client/contract.ts';
import type { Peripheral } from '../../../../client/peripheral-permissions.ts';

export type Peripherals = ResponseOf<'GET', '/device/peripherals'>;

/** What is plugged in by one plug, or connected by itself: one or several peripherals. */
export interface Device {
  /** Of the USB device, or of the only peripheral. */
  readonly id: string;
  /** As it calls itself; undefined if it does not. */
  readonly name: string | undefined;
  readonly manufacturer: string | null;
  readonly serialNumber: string | null;
  /** `0C2E:0B61`; undefined for one without ids. */
  readonly ids: string | undefined;
  readonly parts: readonly [Peripheral, ...Peripheral[]];
}

const KINDS = ['hid', 'serial', 'usb'] as const;

/** The devices in the order of the list; those last of which pages never get anything. */
export function devicesOf(all: readonly Peripheral[]): Device[] {
  const groups = new Map<string, [Peripheral, ...Peripheral[]]>();
  for (const one of all) {
    const id = one.usb_device ?? one.id;
    const group = groups.get(id);
    if (group) group.push(one);
    else groups.set(id, [one]);
  }
  const devices = [...groups].map(([id, parts]) => deviceOf(id, parts));
  return devices.sort((one, other) => Number(isProtected(one)) - Number(isProtected(other)));
}

function deviceOf(id: string, parts: [Peripheral, ...Peripheral[]]): Device {
  parts.sort((one, other) => KINDS.indexOf(one.kind) - KINDS.indexOf(other.kind));
  const value = <K extends 'product' | 'manufacturer' | 'serial_number'>(field: K): string | null =>
    parts.map((part) => part[field]).find((text) => text !== null && text.trim() !== '') ?? null;
  const [{ vendor_id, product_id }] = parts;
  return {
    id,
    name: value('product') ?? value('manufacturer') ?? undefined,
    manufacturer: value('manufacturer'),
    serialNumber: value('serial_number'),
    ids: vendor_id === null || product_id === null ? undefined : `${hex(vendor_id)}:${hex(product_id)}`,
    parts,
  };
}

function isProtected({ parts }: Device): boolean {
  return parts.every(({ state }) => state === 'protected');
}

/** 16 bits in hexadecimal. */
export function hex(value: number): string {
  return value.toString(16).toUpperCase().padStart(4, '0');
}

/** Top-level collections of a HID device as `008C:0002`, each once. */
export function usagesOf({ usages = [] }: Peripheral): string[] {
  return [...new Set(usages.map(({ usage_page, usage }) => `${hex(usage_page)}:${hex(usage)}`))];
}

/** Kernel drivers of a USB device, each once. */
export function driversOf({ interfaces = [] }: Peripheral): string[] {
  return [...new Set(interfaces.flatMap(({ driver }) => driver ?? []))];
}
