/**
 * The rules that decide which peripherals a page may use, and how far: pure functions from the configuration group
 * `devices` and what is plugged in. Everything that a page asks for is decided here.
 *
 * Sources: WebHID with its blocklist, WebUSB ("has a protected interface class", "check the validity of the control
 * transfer parameters"), HID 1.11, USB 2.0, and the control transfers that Chromium refuses.
 */
import type { GroupValue } from '../config/group.ts';
import type { peripheralsConfig } from './config.ts';
import type { HidCollection } from './hid-collections.ts';
import type { UsbSetup } from './page-protocol.ts';
import type { GadgetIdentity, HidPeripheral, Peripheral, UsbPeripheral } from './ports.ts';
import type { Peripheral as ListedPeripheral } from './schema.ts';
import type { UsbAlternate, UsbInterface } from './usb-descriptors.ts';

/** Value of the configuration group `devices`. */
export type Policy = GroupValue<typeof peripheralsConfig>;

/** An entry of `devices.<kind>.allow`. */
export type Entry = NonNullable<ListedPeripheral['suggestion']>;

/** What the policy says of a peripheral; the fields are those of `GET /device/peripherals`. */
export interface Verdict {
  state: ListedPeripheral['state'];
  reason: string | null;
  rule: number | null;
  suggestion: Entry | null;
}

/** Name of a DOMException, and a sentence. */
export type Refusal = [name: string, message: string];

/** What a page gets of a HID device. */
export interface PageHid {
  collections: HidCollection[];
  /** Report ids that it may use; 0 if the device's reports have no ids. */
  input: ReadonlySet<number>;
  output: ReadonlySet<number>;
  feature: ReadonlySet<number>;
}

const FIDO_PAGE = 0xf1d0;
const GENERIC_DESKTOP_PAGE = 0x0001;
/** Mouse, keyboard, keypad, system control. */
const PROTECTED_DESKTOP_USAGES: ReadonlySet<number> = new Set([0x02, 0x06, 0x07, 0x80]);
/** Audio, HID, mass storage, smart card, video, audio and video, wireless controller. */
const PROTECTED_CLASSES: ReadonlySet<number> = new Set([0x01, 0x03, 0x08, 0x0b, 0x0e, 0x10, 0xe0]);
const HUB_CLASS = 0x09;
/** Without them the board's own keyboard, mouse or disk would stop working. */
const KEPT_DRIVERS: ReadonlySet<string> = new Set(['usbhid', 'usb-storage', 'uas', 'hub']);
/** Only read: GET_STATUS, GET_DESCRIPTOR, GET_CONFIGURATION, GET_INTERFACE, SYNCH_FRAME (USB 2.0, table 9-4). */
const READING_REQUESTS: ReadonlySet<number> = new Set([0x00, 0x06, 0x08, 0x0a, 0x0c]);

/** Decides about a peripheral for pages of `devices.origins`. */
export function judge(policy: Policy, gadget: GadgetIdentity | undefined, peripheral: Peripheral): Verdict {
  const never = protection(gadget, peripheral);
  if (never !== undefined) return { state: 'protected', reason: never, rule: null, suggestion: null };
  const { kind } = peripheral;
  const rule = matchingEntry(policy, peripheral);
  if (rule < 0) {
    const reason = `No entry of devices.${kind}.allow matches.`;
    return { state: 'not_allowed', reason, rule: null, suggestion: suggestionFor(peripheral) };
  }
  if (!policy[kind].enabled) {
    return { state: 'disabled', reason: `devices.${kind}.enabled is false.`, rule, suggestion: null };
  }
  if (policy.origins.length === 0) {
    return { state: 'disabled', reason: 'devices.origins is empty.', rule, suggestion: null };
  }
  return { state: 'allowed', reason: null, rule, suggestion: null };
}

/** Whether a page of an origin may use a peripheral. */
export function isReachable(
  policy: Policy,
  gadget: GadgetIdentity | undefined,
  origin: string,
  peripheral: Peripheral,
): boolean {
  return policy.origins.includes(origin) && judge(policy, gadget, peripheral).state === 'allowed';
}

/**
 * Why no page gets a peripheral, whatever is configured; undefined if the configuration decides.
 *
 * - The gadget: a page must not become the host of its own device, with the API on the cable.
 * - HID: keyboards and mice would give pages what is typed elsewhere; security keys would let a page sign in.
 * - USB: a hub gives access to all that is plugged into it; the protected classes are devices of the system.
 * - Serial ports without a USB device are the board's own: its console, its link to the host. No entry can name them.
 */
function protection(gadget: GadgetIdentity | undefined, peripheral: Peripheral): string | undefined {
  if (isGadget(gadget, peripheral)) return "It is the board's own USB gadget.";
  switch (peripheral.kind) {
    case 'serial':
      if ([peripheral.id, peripheral.node].some((name) => /(?:^|\/)ttyGS/.test(name))) {
        return "It is the board's own USB gadget.";
      }
      return peripheral.vendorId === null || peripheral.productId === null
        ? 'A serial port that is not on USB has no ids that an entry could name.'
        : undefined;
    case 'hid':
      if (peripheral.collections.length === 0) return 'Its report descriptor cannot be read.';
      return hidForPage(peripheral).collections.length === 0
        ? 'It is a keyboard, a pointer, a system control or a security key.'
        : undefined;
    case 'usb': {
      const alternates = alternatesOf(peripheral);
      if ([peripheral, ...alternates].some((one) => one.classCode === HUB_CLASS)) return 'It is a USB hub.';
      const interfaces = peripheral.configurations.flatMap((one) => one.interfaces);
      return interfaces.every(isProtectedInterface)
        ? 'It has no interface of a class that pages may use.'
        : undefined;
    }
  }
}

/** Serial numbers are compared too, as another board's gadget has the same vendor and product. */
function isGadget(gadget: GadgetIdentity | undefined, peripheral: Peripheral): boolean {
  return (
    gadget !== undefined &&
    peripheral.vendorId === gadget.vendorId &&
    peripheral.productId === gadget.productId &&
    peripheral.serialNumber === gadget.serialNumber
  );
}

/** Index of the first entry of which all given fields match; -1 if there is none. */
function matchingEntry(policy: Policy, peripheral: Peripheral): number {
  const { vendorId, productId } = peripheral;
  switch (peripheral.kind) {
    case 'hid':
      return policy.hid.allow.findIndex(
        (entry) =>
          entry.vendorId === vendorId && entry.productId === productId && matchesUsage(entry, peripheral),
      );
    case 'serial':
      return policy.serial.allow.findIndex(
        (entry) => entry.usbVendorId === vendorId && entry.usbProductId === productId,
      );
    case 'usb':
      return policy.usb.allow.findIndex(
        (entry) =>
          entry.vendorId === vendorId &&
          entry.productId === productId &&
          (entry.serialNumber === undefined || entry.serialNumber === peripheral.serialNumber) &&
          matchesClass(entry, peripheral),
      );
  }
}

/**
 * Usage page and usage have to be those of one top-level collection, so that an entry does not match the page of one and
 * the usage of another. A usage means nothing without its page: such an entry, which the configuration refuses, never
 * matches.
 */
function matchesUsage(
  { usagePage, usage }: Policy['hid']['allow'][number],
  { collections }: HidPeripheral,
): boolean {
  if (usagePage === undefined) return usage === undefined;
  return collections.some(
    (one) => one.usagePage === usagePage && (usage === undefined || one.usage === usage),
  );
}

/**
 * Class, subclass and protocol have to be those of the device, or of one alternate setting of an interface in any
 * configuration. A subclass means nothing without its class, nor a protocol without its subclass: such entries, which
 * the configuration refuses, never match.
 */
function matchesClass(
  { classCode, subclass, protocol }: Policy['usb']['allow'][number],
  peripheral: UsbPeripheral,
): boolean {
  if (classCode === undefined) return subclass === undefined && protocol === undefined;
  if (subclass === undefined && protocol !== undefined) return false;
  return [peripheral, ...alternatesOf(peripheral)].some(
    (one) =>
      one.classCode === classCode &&
      (subclass === undefined || one.subclass === subclass) &&
      (protocol === undefined || one.protocol === protocol),
  );
}

/** An entry that would allow it. HID devices often have several interfaces of the same ids: only this one. */
function suggestionFor(peripheral: Peripheral): Entry | null {
  const { vendorId, productId } = peripheral;
  if (vendorId === null || productId === null) return null;
  switch (peripheral.kind) {
    case 'hid': {
      const [first] = hidForPage(peripheral).collections;
      return { vendorId, productId, ...(first && { usagePage: first.usagePage, usage: first.usage }) };
    }
    case 'serial':
      return { usbVendorId: vendorId, usbProductId: productId };
    case 'usb':
      return { vendorId, productId };
  }
}

/**
 * What pages get of a HID device: the top-level collections that are not protected, and the reports that only those
 * have. A hidraw node carries the reports of all collections, so a report is known by its id only: one that a protected
 * collection also has could contain what is typed. For the same reason nothing of a device is left when it has a
 * protected collection and its reports have no ids.
 */
export function hidForPage({ collections }: Pick<HidPeripheral, 'collections'>): PageHid {
  const kept = collections.filter((one) => !isProtectedCollection(one));
  const removed = collections.filter(isProtectedCollection);
  const taken = new Set(removed.flatMap(reportIds));
  const usable = kept.flatMap(reportIds).filter((id) => !taken.has(id));
  const hasReportsWithoutId = taken.has(0) || usable.includes(0);
  if (removed.length > 0 && (hasReportsWithoutId || usable.length === 0)) {
    return { collections: [], input: new Set(), output: new Set(), feature: new Set() };
  }
  const idsOf = (type: 'inputReports' | 'outputReports' | 'featureReports') =>
    new Set(kept.flatMap((one) => one[type].map(({ reportId }) => reportId)).filter((id) => !taken.has(id)));
  return {
    collections: kept,
    input: idsOf('inputReports'),
    output: idsOf('outputReports'),
    feature: idsOf('featureReports'),
  };
}

/** Ids of a collection's reports, which include those of the collections in it. */
function reportIds({ inputReports, outputReports, featureReports }: HidCollection): number[] {
  return [...inputReports, ...outputReports, ...featureReports].map(({ reportId }) => reportId);
}

/** Also a collection that contains a protected one: Linux types with a keyboard in it as with any other. */
function isProtectedCollection({ usagePage, usage, children }: HidCollection): boolean {
  return (
    usagePage === FIDO_PAGE ||
    (usagePage === GENERIC_DESKTOP_PAGE && PROTECTED_DESKTOP_USAGES.has(usage)) ||
    children.some(isProtectedCollection)
  );
}

/** Whether the driver of an interface that a page may use may be detached for it. */
export function mayDetach(policy: Policy, driver: string): boolean {
  return policy.usb.allow_driver_detach && !KEPT_DRIVERS.has(driver);
}

/**
 * Decides about claiming an interface of a device that the page may use, in its active configuration.
 * @returns whether a kernel driver may be detached for it; or why it may not be claimed
 */
export function claimOf(
  policy: Policy,
  gadget: GadgetIdentity | undefined,
  peripheral: UsbPeripheral,
  number: number,
): { detach: boolean } | { refusal: Refusal } {
  const refuse = (name: string, message: string) => ({ refusal: [name, message] satisfies Refusal });
  const interfaces = activeInterfaces(peripheral);
  if (!interfaces) return refuse('InvalidStateError', 'The device is not configured.');
  const wanted = interfaces.find((one) => one.number === number);
  if (!wanted) return refuse('NotFoundError', 'The active configuration has no such interface.');
  if (isGadget(gadget, peripheral) || isProtectedInterface(wanted)) {
    return refuse('SecurityError', 'Pages may not use interfaces of this class.');
  }
  const driver = peripheral.drivers.get(number);
  if (driver === undefined) return { detach: false };
  if (KEPT_DRIVERS.has(driver))
    return refuse('SecurityError', `The kernel driver ${driver} is never detached.`);
  if (mayDetach(policy, driver)) return { detach: true };
  return refuse(
    'NetworkError',
    `The kernel driver ${driver} uses the interface. Set devices.usb.allow_driver_detach to detach it.`,
  );
}

/**
 * Decides about a control transfer to a device that the page may use. Needed, as the kernel claims an interface by itself
 * for a request that names it, and lets requests to the device pass.
 *
 * - Standard requests that change something have methods of their own, which are checked.
 * - A class request names an interface in the low byte of its index, also one that is addressed to the device.
 * @param claimed numbers of the interfaces that the page has claimed
 * @returns why it is refused; undefined if it is not
 */
export function controlRefusal(
  peripheral: UsbPeripheral,
  claimed: ReadonlySet<number>,
  { requestType, recipient, request, index }: UsbSetup,
  direction: 'in' | 'out',
): Refusal | undefined {
  if (requestType === 'standard' && !(direction === 'in' && READING_REQUESTS.has(request))) {
    return ['SecurityError', 'Standard requests that change the device are not allowed.'];
  }
  const interfaces = activeInterfaces(peripheral);
  const low = index & 0xff;
  const addressed = (interfaces ?? []).filter((one) =>
    recipient === 'endpoint' ? hasEndpoint(one, low) : one.number === low,
  );
  const namesInterface = recipient === 'interface' || recipient === 'endpoint' || requestType === 'class';
  if (namesInterface && addressed.some(isProtectedInterface)) {
    return ['SecurityError', 'Pages may not use interfaces of this class.'];
  }
  if (recipient !== 'interface' && recipient !== 'endpoint') return undefined;
  if (addressed.length === 0) return ['NotFoundError', `The active configuration has no such ${recipient}.`];
  // An endpoint's address may be in alternate settings of several interfaces; it is not known which are selected.
  return addressed.every((one) => claimed.has(one.number))
    ? undefined
    : ['InvalidStateError', 'The interface has not been claimed.'];
}

function hasEndpoint({ alternates }: UsbInterface, address: number): boolean {
  const direction = address & 0x80 ? 'in' : 'out';
  return alternates.some(({ endpoints }) =>
    endpoints.some((one) => one.number === (address & 0x0f) && one.direction === direction),
  );
}

function isProtectedInterface({ alternates }: UsbInterface): boolean {
  return alternates.some(({ classCode }) => PROTECTED_CLASSES.has(classCode));
}

function alternatesOf({ configurations }: UsbPeripheral): UsbAlternate[] {
  return configurations.flatMap(({ interfaces }) => interfaces.flatMap(({ alternates }) => alternates));
}

/** Undefined if the device is not configured. */
function activeInterfaces(peripheral: UsbPeripheral): readonly UsbInterface[] | undefined {
  return peripheral.configurations.find(({ value }) => value === peripheral.configuration)?.interfaces;
}
