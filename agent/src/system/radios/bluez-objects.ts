/** BlueZ's objects as the resource sees them (doc/org.bluez.Adapter.rst, org.bluez.Device.rst of BlueZ). */
import type { AdapterState, RemoteDevice } from '../../resources/bluetooth/ports.ts';
import type { Properties } from '../dbus/objects.ts';
import { integer, listOf, text } from '../dbus/values.ts';

const ADDRESS = /^[0-9A-F]{2}(?::[0-9A-F]{2}){5}$/;
/** Longest name, in characters; the protocol allows 248 bytes. */
const MAX_NAME = 248;
const MAX_PROFILES = 100;
/** Below every signal. */
const UNHEARD_DBM = -200;

/** `PowerState` of an adapter that rfkill keeps off. */
export const BLOCKED = 'off-blocked';

/** The number of an adapter; undefined for other paths. */
export function adapterNumber(path: string): number | undefined {
  const [, number] = /^\/org\/bluez\/hci(\d+)$/.exec(path) ?? [];
  return number === undefined ? undefined : Number(number);
}

/** Undefined without a valid address. */
export function adapterOf(id: string, properties: Properties): AdapterState | undefined {
  const { Address, Alias, Powered, PowerState, Discovering, Discoverable, DiscoverableTimeout, Pairable } =
    properties;
  if (!isAddress(Address)) return undefined;
  return {
    id,
    address: Address,
    alias: text(Alias) ? Alias : '',
    powered: Powered === true,
    blocked: PowerState === BLOCKED,
    discovering: Discovering === true,
    discoverable: Discoverable === true,
    discoverableTimeout: integer(DiscoverableTimeout) ? DiscoverableTimeout : 0,
    pairable: Pairable === true,
  };
}

/** Undefined without a valid address. */
export function deviceOf(id: string, properties: Properties): RemoteDevice | undefined {
  const { Address, Name, Paired, Connected, Trusted, RSSI, Icon, UUIDs } = properties;
  if (!isAddress(Address)) return undefined;
  return {
    id,
    address: Address,
    name: text(Name) ? cleanName(Name) : null,
    paired: Paired === true,
    connected: Connected === true,
    trusted: Trusted === true,
    rssi: integer(RSSI) ? RSSI : null,
    icon: text(Icon) ? Icon : null,
    profiles: listOf(text)(UUIDs) ? UUIDs.slice(0, MAX_PROFILES).map((uuid) => uuid.toLowerCase()) : [],
  };
}

/** How well a device that nobody has paired is heard, in dBm; undefined for other objects. */
export function signalOfStranger(properties: Properties | undefined): number | undefined {
  if (!properties || properties.Paired === true || properties.Connected === true) return undefined;
  return integer(properties.RSSI) ? properties.RSSI : UNHEARD_DBM;
}

function isAddress(value: unknown): value is string {
  return text(value) && ADDRESS.test(value);
}

/** Without control characters and those that change the direction of the text around them: it is displayed. */
function cleanName(name: string): string | null {
  const clean = name
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
    .slice(0, MAX_NAME)
    .toWellFormed()
    .trim();
  return clean === '' ? null : clean;
}
