/** Bluetooth devices for people: what they are, how near they are, and in which order. Pure. */
import type { IconName } from '../../parts/icon.tsx';
import type { RemoteDevice } from './state.ts';

export type Kind = 'keyboard' | 'mouse' | 'gamepad' | 'tablet' | 'phone' | 'computer' | 'sound' | 'unknown';
export type Signal = 'strong' | 'medium' | 'weak' | 'none';

/** From this strength on, in dBm. */
const STRONG_DBM = -60;
const MEDIUM_DBM = -75;
/** Longest name that is shown, in characters. */
const MAX_NAME = 60;

/** By the names of freedesktop.org, which the device uses. */
const KINDS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ['input-keyboard', 'keyboard'],
  ['input-mouse', 'mouse'],
  ['input-gaming', 'gamepad'],
  ['input-tablet', 'tablet'],
  ['phone', 'phone'],
  ['computer', 'computer'],
  ['audio-card', 'sound'],
  ['audio-headset', 'sound'],
  ['audio-headphones', 'sound'],
]);

export const KIND_ICONS: Readonly<Record<Kind, IconName>> = {
  keyboard: 'input',
  mouse: 'remote',
  gamepad: 'input',
  tablet: 'edit',
  phone: 'device',
  computer: 'screen',
  sound: 'audio',
  unknown: 'bluetooth',
};

export function kindOf({ icon }: Pick<RemoteDevice, 'icon'>): Kind {
  return KINDS.get(icon ?? '') ?? 'unknown';
}

/** Whether the device may be one that types or points, and so connects by itself. */
export function mayBeInput(device: Pick<RemoteDevice, 'icon'>): boolean {
  return !['phone', 'computer', 'sound'].includes(kindOf(device));
}

/** @param rssi in dBm; null if the device is not found at present */
export function signalOf({ rssi }: Pick<RemoteDevice, 'rssi'>): Signal {
  if (rssi === null) return 'none';
  if (rssi >= STRONG_DBM) return 'strong';
  return rssi >= MEDIUM_DBM ? 'medium' : 'weak';
}

/** The name that the device has chosen, which must not turn the direction of the text around it; else its address. */
export function nameOf({ name, address }: Pick<RemoteDevice, 'name' | 'address'>): string {
  const clean = (name ?? '').replaceAll(/\p{C}+/gu, ' ').trim();
  return [...clean].slice(0, MAX_NAME).join('') || address;
}

export interface Groups {
  /** Paired, by name. */
  readonly known: readonly RemoteDevice[];
  /** Found, and with a name: the nearest first. */
  readonly found: readonly RemoteDevice[];
  /** Found, and without a name: mostly beacons that nobody pairs with. */
  readonly unnamed: readonly RemoteDevice[];
}

export function groupsOf(devices: readonly RemoteDevice[]): Groups {
  const known = devices.filter(isKnown).toSorted(byName);
  const others = devices.filter((device) => !isKnown(device)).toSorted(nearestFirst);
  const hasName = (device: RemoteDevice) => nameOf(device) !== device.address;
  return {
    known,
    found: others.filter(hasName),
    unnamed: others.filter((device) => !hasName(device)),
  };
}

export function isKnown({ paired, trusted }: Pick<RemoteDevice, 'paired' | 'trusted'>): boolean {
  return paired || trusted;
}

const NEAREST: readonly Signal[] = ['strong', 'medium', 'weak', 'none'];

/** By the signal in words, so that the list stays while dBm vary. */
function nearestFirst(one: RemoteDevice, other: RemoteDevice): number {
  return NEAREST.indexOf(signalOf(one)) - NEAREST.indexOf(signalOf(other)) || byName(one, other);
}

function byName(one: RemoteDevice, other: RemoteDevice): number {
  return nameOf(one).localeCompare(nameOf(other)) || one.address.localeCompare(other.address);
}
