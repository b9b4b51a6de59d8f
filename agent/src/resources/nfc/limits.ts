/** A header without data (ISO 7816-4). */
export const MIN_APDU_BYTES = 4;
/** An extended one with all that it can have. */
export const MAX_APDU_BYTES = 65_544;
/** The file of a type 4 tag with mapping version 2 has 65 535 bytes, two of which are the length. */
export const MAX_MESSAGE_BYTES = 65_533;
