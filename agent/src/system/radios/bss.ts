/** What wpa_supplicant reports of a network that it has seen: the properties of `fi.w1.wpa_supplicant1.BSS`. Pure. */
import type { SeenNetwork } from '../../resources/wifi/ports.ts';
import type { Properties } from '../dbus/objects.ts';
import { integer, isBytes, listOf, text } from '../dbus/values.ts';

/** A network and how long ago it was last heard, in seconds. */
export interface Bss extends SeenNetwork {
  age: number;
}

/** @returns undefined for properties that have unexpected types */
export function parseBss(properties: Properties): Bss | undefined {
  const { SSID, BSSID, Frequency, Signal, Age, Privacy } = properties;
  if (!isBytes(SSID) || !isBytes(BSSID) || !integer(Frequency) || !integer(Signal)) return undefined;
  return {
    ssid: ssidText(SSID),
    bssid: [...BSSID].map((byte) => byte.toString(16).padStart(2, '0')).join(':'),
    signalDbm: Math.min(0, Math.max(-127, Signal)),
    frequencyMhz: Frequency,
    security: security(
      [...keyManagement(properties.WPA), ...keyManagement(properties.RSN)],
      Privacy === true,
    ),
    age: integer(Age) ? Age : 0,
  };
}

/** A hidden network has an empty name, or zeros of its length. Other bytes than UTF-8 become replacement characters. */
function ssidText(bytes: Uint8Array): string {
  return bytes.every((byte) => byte === 0) ? '' : Buffer.from(bytes).toString('utf8');
}

function keyManagement(element: unknown): string[] {
  if (typeof element !== 'object' || element === null || !('KeyMgmt' in element)) return [];
  return listOf(text)(element.KeyMgmt) ? element.KeyMgmt : [];
}

/** The strongest kind that is offered. */
function security(methods: readonly string[], isPrivate: boolean): SeenNetwork['security'] {
  if (methods.some((method) => method.includes('sae'))) return 'wpa3';
  if (methods.some((method) => method.includes('psk'))) return 'wpa2';
  if (methods.some((method) => method.includes('eap'))) return 'enterprise';
  // OWE encrypts without a passphrase.
  if (methods.includes('owe') || !isPrivate) return 'open';
  return 'wep';
}
