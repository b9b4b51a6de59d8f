/** Which of the device's interfaces this page's connection uses. Pure. */
import { SHARED_ADDRESS } from '../../../client/addresses.ts';
import type { Network } from './device-state.ts';

export type InterfaceKind = 'cable' | 'ethernet' | 'wifi' | 'modem' | 'virtual';

/** What an interface is, by the names that the kernel, udev and the device's image give. */
export function interfaceKind(name: string): InterfaceKind {
  if (/^(?:gadget|cable)\d/.test(name)) return 'cable';
  if (/^(?:en|eth|usb)/.test(name)) return 'ethernet';
  if (/^wl/.test(name)) return 'wifi';
  return /^ww/.test(name) ? 'modem' : 'virtual';
}

export type OwnConnection =
  | { readonly kind: 'interface'; readonly name: string }
  /** The browser runs on the computer that it manages. */
  | { readonly kind: 'loopback' }
  /** The page was opened by a name, which may stand for any address. */
  | { readonly kind: 'unknown' };

/** @param hostname of the page's address, as `location` has it */
export function ownConnection(
  hostname: string,
  interfaces: readonly Network['interfaces'][number][],
): OwnConnection {
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const cables = interfaces.filter(({ name }) => interfaceKind(name) === 'cable');
  const [cable] = cables;
  const found = interfaces.find(({ addresses }) => addresses.includes(host));
  if (found) return { kind: 'interface', name: found.name };
  // Every device has it at its cable; no interface lists it.
  if (host === SHARED_ADDRESS) return cable ? { kind: 'interface', name: cable.name } : { kind: 'unknown' };
  if (host === 'localhost' || host === '::1' || /^127\./.test(host)) return { kind: 'loopback' };
  // On the appliance, only the cable leads to this page.
  return cable && cables.length === 1 && !isAddress(host)
    ? { kind: 'interface', name: cable.name }
    : { kind: 'unknown' };
}

/** Whether a host of an address on the web is an IP address, not a name. */
export function isAddress(host: string): boolean {
  return host.includes(':') || /^\d+(?:\.\d+){3}$/.test(host);
}

/** Whether an address was chosen by the computer itself, since no router has given one. */
export function isLinkLocal(address: string): boolean {
  return /^(?:fe[89ab]|169\.254\.)/i.test(address);
}
