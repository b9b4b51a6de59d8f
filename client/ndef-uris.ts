/** Abbreviations of addresses in NDEF messages. */
export { PREFIXES, prefixOf } from '../agent/src/resources/nfc/ndef-uris.ts';
