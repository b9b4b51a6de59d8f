/** Which patch of the configuration lets a page use a peripheral, or ends that. Pure. */
import type { ResponseOf } from './contract.ts';

export type Peripheral = ResponseOf<'GET', '/device/peripherals'>['peripherals'][number];
export type PeripheralKind = Peripheral['kind'];
/** A merge patch (RFC 7396) for `PATCH /config`. */
export interface DevicesPatch extends Record<string, unknown> {
  devices: Record<string, unknown>;
}

/** What is read of the configuration group `devices`. */
interface Devices {
  origins: readonly unknown[];
  enabled: boolean;
  allow: readonly unknown[];
}

/**
 * Lets pages of an origin use a peripheral: adds its entry, enables its kind and adds the origin, each if it is missing.
 * @param config the whole configuration
 * @returns undefined if nothing is missing, and for a peripheral that is protected
 */
export function patchToAllow(
  config: unknown,
  { kind, state, rule, suggestion }: Peripheral,
  origin: string,
): DevicesPatch | undefined {
  if (state === 'protected') return undefined;
  const { origins, enabled, allow } = devicesIn(config, kind);
  const isListed = allow.some((entry) => isSameEntry(entry, suggestion));
  const isMissing = rule === null && suggestion !== null && !isListed;
  const ofKind = {
    ...(isMissing && { allow: [...allow, suggestion] }),
    ...(!enabled && { enabled: true }),
  };
  const devices = {
    ...(!origins.includes(origin) && { origins: [...origins, origin] }),
    ...(Object.keys(ofKind).length > 0 && { [kind]: ofKind }),
  };
  return Object.keys(devices).length > 0 ? { devices } : undefined;
}

/**
 * Removes the entry that matches a peripheral, for all pages.
 * @param config the whole configuration
 * @returns undefined if none matches, or the configuration is newer than the description and has another one there
 */
export function patchToRevoke(config: unknown, peripheral: Peripheral): DevicesPatch | undefined {
  const { kind, rule } = peripheral;
  const { allow } = devicesIn(config, kind);
  if (rule === null || !isFor(allow[rule], peripheral)) return undefined;
  return { devices: { [kind]: { allow: allow.toSpliced(rule, 1) } } };
}

/** The entry of the configuration that matches a peripheral. @returns undefined if none does */
export function entryOf(config: unknown, { kind, rule }: Peripheral): unknown {
  return rule === null ? undefined : devicesIn(config, kind).allow[rule];
}

function devicesIn(config: unknown, kind: PeripheralKind): Devices {
  const devices = valueIn(config, 'devices');
  const ofKind = valueIn(devices, kind);
  return {
    origins: listIn(devices, 'origins'),
    enabled: valueIn(ofKind, 'enabled') === true,
    allow: listIn(ofKind, 'allow'),
  };
}

function valueIn(object: unknown, name: string): unknown {
  return typeof object === 'object' && object !== null && Object.hasOwn(object, name)
    ? Reflect.get(object, name)
    : undefined;
}

function listIn(object: unknown, name: string): readonly unknown[] {
  const list = valueIn(object, name);
  return Array.isArray(list) ? list : [];
}

/** Whether an entry is for devices with the ids of a peripheral. */
function isFor(entry: unknown, { kind, vendor_id, product_id }: Peripheral): boolean {
  const [vendor, product] = kind === 'serial' ? ['usbVendorId', 'usbProductId'] : ['vendorId', 'productId'];
  return valueIn(entry, vendor) === vendor_id && valueIn(entry, product) === product_id;
}

/** Entries are flat. */
function isSameEntry(one: unknown, other: unknown): boolean {
  const fields = (entry: unknown): string => JSON.stringify(Object.entries(Object(entry)).sort());
  return fields(one) === fields(other);
}
