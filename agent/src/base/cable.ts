/** Names and addresses at the USB cable (overlay/usr/lib/vitrine/cable-addresses). */

/** The name and the address that every device has at its cable, besides its own. */
export const SHARED_NAME = 'vitrine';
export const SHARED_ADDRESS = '10.55.77.1';

/** Networks of the cable: the one with the addresses that are the same everywhere, and that of each device's own. */
export const CABLE_NETWORKS = ['10.55.77.0/24', '10.55.128.0/17'] as const;

/** The names of this computer without `.local`, in lower case. @param isAppliance it has the shared name, too */
export function ownNames(hostname: string, isAppliance: boolean): string[] {
  const own = hostname.toLowerCase();
  return isAppliance && own !== SHARED_NAME ? [own, SHARED_NAME] : [own];
}
