/** Names and addresses at the USB cable (overlay/usr/lib/vitrine/cable-addresses). */
import { BlockList, isIPv4 } from 'node:net';

/** The name that every device has at its cable, besides one of its own. */
export const SHARED_NAME = 'vitrine';

/** Networks of the cable: the one with the addresses that are the same everywhere, and that of each device's own. */
export const CABLE_NETWORKS = ['10.55.77.0/24', '10.55.128.0/17'] as const;

const NETWORKS = new BlockList();
for (const [address, prefix] of CABLE_NETWORKS.map((network) => network.split('/'))) {
  NETWORKS.addSubnet(String(address), Number(prefix));
}

/**
 * Whether a page's address leads to the USB cable; "maybe" for names that are resolved by mDNS, which may lead to any
 * network.
 */
export function leadsToCable(url: string): boolean | 'maybe' {
  const host = URL.parse(url)?.hostname ?? '';
  if (host.endsWith('.local')) return 'maybe';
  return isIPv4(host) && NETWORKS.check(host);
}

/** The names of this computer without `.local`, in lower case. @param isAppliance it has the shared name, too */
export function ownNames(hostname: string, isAppliance: boolean): string[] {
  const own = hostname.toLowerCase();
  return isAppliance && own !== SHARED_NAME ? [own, SHARED_NAME] : [own];
}
