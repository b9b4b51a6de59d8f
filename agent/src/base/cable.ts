/** Names and addresses at the USB cable (overlay/usr/lib/vitrine/cable-addresses). */

/** The name and the address that every device has at its cable, besides its own. */
export const SHARED_NAME = 'vitrine';
export const SHARED_ADDRESS = '10.55.77.1';

/** In which each device and its host have addresses of their own, and how many bits its addresses have in common. */
export const OWN_NETWORK = ['10.55.128.0', 17] as const;

/** Networks of the cable, also that with the addresses that are the same everywhere. */
export const CABLE_NETWORKS = ['10.55.77.0/24', OWN_NETWORK.join('/')] as const;

/** The names of this computer without `.local`, in lower case. @param isAppliance it has the shared name, too */
export function ownNames(hostname: string, isAppliance: boolean): string[] {
  const own = hostname.toLowerCase();
  return isAppliance && own !== SHARED_NAME ? [own, SHARED_NAME] : [own];
}
