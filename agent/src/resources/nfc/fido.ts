/** Security keys on an NFC reader: a page that could talk to one would sign in at other sites in its user's name. Pure. */

/** The application of FIDO U2F and CTAP2 (CTAP 2.1, 11.3.3: Applet selection). */
const FIDO_APPLICATION = Buffer.from('a0000006472f0001', 'hex');
/** SELECT by the application's name (ISO 7816-4, 11.2.2); a card takes the beginning of a name for it. */
const SELECT = 0xa4;
const BY_NAME = 0x04;
/** Class of a command whose data go on in the next one (ISO 7816-4, 5.3.3). */
const CHAINED = 0x10;
const DATA_AT = 5;
const EXTENDED_DATA_AT = 7;

/** Whether this command selects the FIDO application, or may be a part of one that does. @param apdu of 4 bytes or more */
export function selectsFido(apdu: Buffer): boolean {
  const [cla = 0, ins, p1 = 0, , lc] = apdu;
  if (ins !== SELECT || (p1 & BY_NAME) === 0) return false;
  if ((cla & CHAINED) !== 0) return true;
  const isExtended = lc === 0 && apdu.length > EXTENDED_DATA_AT;
  const at = isExtended ? EXTENDED_DATA_AT : DATA_AT;
  const length = isExtended ? apdu.readUInt16BE(DATA_AT) : (lc ?? 0);
  const name = apdu.subarray(at, at + length);
  const common = Math.min(name.length, FIDO_APPLICATION.length);
  return common > 0 && name.subarray(0, common).equals(FIDO_APPLICATION.subarray(0, common));
}
