/** A configuration of a USB device (USB 2.0, 9.6.3). */
export interface UsbConfiguration {
  value: number;
  name: string | null;
  interfaces: readonly UsbInterface[];
}
export interface UsbInterface {
  number: number;
  alternates: readonly UsbAlternate[];
}
export interface UsbAlternate {
  setting: number;
  classCode: number;
  subclass: number;
  protocol: number;
  name: string | null;
  endpoints: readonly UsbEndpoint[];
}
export interface UsbEndpoint {
  /** 1 to 15. */
  number: number;
  direction: 'in' | 'out';
  type: 'bulk' | 'interrupt' | 'isochronous' | 'control';
  /** Bytes. */
  packetSize: number;
}

/** What a USB device says of itself, without the strings. */
export interface UsbDescription {
  /** Binary coded decimal: 0x0210 is 2.1. */
  usbVersion: number;
  deviceVersion: number;
  vendorId: number;
  productId: number;
  classCode: number;
  subclass: number;
  protocol: number;
  configurations: UsbConfiguration[];
}

/** Webcams have the longest descriptors, of some kilobytes. */
const MAX_BYTES = 16 * 1024;
/** The kernel's limits (USB_MAXCONFIG, USB_MAXINTERFACES, USB_MAXALTSETTING, USB_MAXENDPOINTS). */
const MAX_CONFIGURATIONS = 8;
const MAX_INTERFACES = 32;
const MAX_ALTERNATES = 128;
const MAX_ENDPOINTS = 30;

/** Types of descriptors (USB 2.0, table 9-5), and their lengths (9.6). */
const DEVICE = { type: 1, length: 18 };
const CONFIGURATION = { type: 2, length: 9 };
const INTERFACE = { type: 4, length: 9 };
const ENDPOINT = { type: 5, length: 7 };
const TRANSFER_TYPES = ['control', 'isochronous', 'bulk', 'interrupt'] as const;

interface OpenInterface extends UsbInterface {
  alternates: OpenAlternate[];
}
interface OpenAlternate extends UsbAlternate {
  endpoints: UsbEndpoint[];
}

/**
 * Reads the descriptor of a device and those of all its configurations, as the file `descriptors` in sysfs has them. All
 * names are null. Never throws. Like the kernel, it skips what follows a wrong length in a configuration, the second of
 * two alternate settings with the same number, and what exceeds the kernel's limits.
 * @returns undefined if it does not begin with the descriptor of a device, or is longer than 16 KiB
 */
export function parseUsbDescriptors(bytes: Uint8Array): UsbDescription | undefined {
  if (bytes.length > MAX_BYTES || !isDescriptor(bytes, DEVICE)) return undefined;
  const configurations: UsbConfiguration[] = [];
  for (let rest = bytes.subarray(DEVICE.length); isDescriptor(rest, CONFIGURATION); ) {
    const length = Math.max(word(rest, 2), CONFIGURATION.length);
    if (configurations.length < MAX_CONFIGURATIONS) {
      const interfaces = parseInterfaces(rest.subarray(CONFIGURATION.length, length));
      configurations.push({ value: byte(rest, 5), name: null, interfaces });
    }
    rest = rest.subarray(length);
  }
  return {
    usbVersion: word(bytes, 2),
    deviceVersion: word(bytes, 12),
    vendorId: word(bytes, 8),
    productId: word(bytes, 10),
    classCode: byte(bytes, 4),
    subclass: byte(bytes, 5),
    protocol: byte(bytes, 6),
    configurations,
  };
}

function parseInterfaces(bytes: Uint8Array): UsbInterface[] {
  const interfaces: OpenInterface[] = [];
  let current: OpenAlternate | undefined;
  for (let rest = bytes; byte(rest, 0) >= 2; rest = rest.subarray(byte(rest, 0))) {
    if (byte(rest, 1) === INTERFACE.type) {
      current = isDescriptor(rest, INTERFACE) ? addAlternate(interfaces, rest) : undefined;
    } else if (isDescriptor(rest, ENDPOINT) && current && current.endpoints.length < MAX_ENDPOINTS) {
      const endpoint = parseEndpoint(rest);
      if (endpoint.number > 0) current.endpoints.push(endpoint);
    }
  }
  return interfaces;
}

/** @returns undefined if it is not added */
function addAlternate(interfaces: OpenInterface[], descriptor: Uint8Array): OpenAlternate | undefined {
  const [number, setting] = [byte(descriptor, 2), byte(descriptor, 3)];
  let owner = interfaces.find((one) => one.number === number);
  if (!owner) {
    if (interfaces.length === MAX_INTERFACES) return undefined;
    owner = { number, alternates: [] };
    interfaces.push(owner);
  }
  const { alternates } = owner;
  if (alternates.length === MAX_ALTERNATES || alternates.some((one) => one.setting === setting)) {
    return undefined;
  }
  const added: OpenAlternate = {
    setting,
    classCode: byte(descriptor, 5),
    subclass: byte(descriptor, 6),
    protocol: byte(descriptor, 7),
    name: null,
    endpoints: [],
  };
  alternates.push(added);
  return added;
}

/** Bits 11 and 12 of the size are the transactions in a microframe, not bytes (9.6.6). */
function parseEndpoint(descriptor: Uint8Array): UsbEndpoint {
  const address = byte(descriptor, 2);
  return {
    number: address & 0x0f,
    direction: address & 0x80 ? 'in' : 'out',
    type: TRANSFER_TYPES[byte(descriptor, 3) & 0x03] ?? 'control',
    packetSize: word(descriptor, 4) & 0x07ff,
  };
}

function isDescriptor(bytes: Uint8Array, { type, length }: { type: number; length: number }): boolean {
  const stated = byte(bytes, 0);
  return stated >= length && stated <= bytes.length && byte(bytes, 1) === type;
}

/** 0 behind the end. */
function byte(bytes: Uint8Array, at: number): number {
  return bytes[at] ?? 0;
}

/** Little endian. */
function word(bytes: Uint8Array, at: number): number {
  return byte(bytes, at) + byte(bytes, at + 1) * 256;
}
