/** Which requests of the daemon are accepted: who may pair, and who may connect a profile. */
import type { PairingAnswer, PairingRequest, RemoteDevice } from './ports.ts';

/** Human interface devices, and the same over GATT (Bluetooth SIG, Assigned Numbers), as 128-bit UUIDs. */
const INPUT_PROFILES: readonly string[] = ['1124', '1812'].map(
  (id) => `0000${id}-0000-1000-8000-00805f9b34fb`,
);

export interface PairingFacts {
  /** Id of the adapter that is used; undefined without one. */
  adapter: string | undefined;
  /** `bluetooth.discoverable` while Bluetooth is enabled. */
  discoverable: boolean;
  /** Id of the device that `POST /bluetooth/pair` pairs with at present. */
  pairing: string | undefined;
}

/**
 * The answer to a request. Devices may pair on their own only while the adapter is discoverable, and then they may not
 * connect a profile: otherwise anybody in range could type. Only the host gives that permission, by pairing with them.
 * @param newPin makes a PIN
 */
export function answerTo(request: PairingRequest, facts: PairingFacts, newPin: () => string): PairingAnswer {
  const isPairing = request.device === facts.pairing;
  if (request.adapter !== facts.adapter) return { accepted: false };
  switch (request.kind) {
    case 'authorize':
    case 'confirm':
    case 'display':
      return { accepted: isPairing || facts.discoverable };
    case 'choose_pin':
      // Without a user who agrees on it, a PIN is no protection.
      return isPairing ? { accepted: true, pin: newPin() } : { accepted: false };
    case 'service':
      return { accepted: isPairing && INPUT_PROFILES.includes(request.profile) };
    case 'type_passkey':
      return { accepted: false };
  }
}

/** Whether a connected device may stay connected: one that nobody trusts only to pair. */
export function mayStayConnected(
  { id, trusted, paired }: Pick<RemoteDevice, 'id' | 'trusted' | 'paired'>,
  { pairing, discoverable }: PairingFacts,
): boolean {
  return trusted || id === pairing || (discoverable && !paired);
}

/** Whether a device is there to type, point or scan. */
export function isInput(device: RemoteDevice | undefined): boolean {
  return (
    device?.icon?.startsWith('input-') === true ||
    device?.profiles.some((profile) => INPUT_PROFILES.includes(profile)) === true
  );
}
