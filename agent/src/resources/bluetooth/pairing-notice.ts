import type { Bluetooth } from './bluetooth.ts';
import type { Pairing } from './schema.ts';

/** Longest name of a device in a notice, in characters. */
const MAX_NAME = 40;

/** Shows the numbers of pairings on the screen, until the returned function is called. */
export function showPairings(
  service: Pick<Bluetooth, 'onPairing'>,
  show: (text: string | undefined) => void,
): () => void {
  const stop = service.onPairing((pairing, isTyped) => show(pairingNotice(pairing, isTyped)));
  return () => {
    stop();
    show(undefined);
  };
}

/**
 * What the screen says while people need the number of a pairing; undefined if there is none.
 * @param isTyped the number must be typed on the device; else the device shows it, too
 */
export function pairingNotice(pairing: Pairing | null, isTyped: boolean): string | undefined {
  if (!pairing || pairing.passkey === null) return undefined;
  const { name, address, passkey } = pairing;
  const device = cleanName(name ?? '') || address;
  return isTyped
    ? `Type ${passkey} on the keyboard “${device}”, then Enter`
    : `Pairing with “${device}”: ${passkey}`;
}

/** A stranger's radio chooses its name: it must not end the quotation, turn the direction or push the text aside. */
function cleanName(name: string): string {
  const text = name.replaceAll(/[\p{C}\p{Z}“”]+/gu, ' ').trim();
  const characters = [...text];
  return characters.length > MAX_NAME ? `${characters.slice(0, MAX_NAME - 1).join('')}…` : text;
}
