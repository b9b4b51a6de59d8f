/** NFC for people: readers, tags and what is on them. */
import { formatBytes } from '../../app/format.ts';
import { language, t } from '../../app/texts.ts';
import { bytesOfBase64 } from './bytes.ts';
import { type NdefRecord, recordsOf } from './ndef.ts';
import type { Tag } from './state.ts';

/** Longest summary of a message, in characters. */
const MAX_SUMMARY = 60;

/** Names of makers and of buses, which are the same in every language. */
const BACKENDS: ReadonlyMap<string, string> = new Map([
  ['pn532-i2c', 'PN532, I²C'],
  ['pn532-spi', 'PN532, SPI'],
  ['acr122u', 'ACR122U, USB'],
]);

export function backendName(backend: string): string {
  return BACKENDS.get(backend) ?? backend;
}

/** A number in pairs of digits, as it is printed on cards. */
export function spaced(uid: string): string {
  return uid.replaceAll(/..(?=.)/g, '$& ');
}

/** What can be done with a tag. */
export function tagKind({ techs }: Pick<Tag, 'techs'>): string {
  if (techs.includes('ndef')) return t('nfc.kind_ndef');
  return t(techs.includes('iso-dep') ? 'nfc.kind_card' : 'nfc.kind_number');
}

/** The records of a message; undefined if it is damaged. @param ndef base64, as the device sends it */
export function recordsIn(ndef: string): NdefRecord[] | undefined {
  return recordsOf(bytesOfBase64(ndef));
}

/** What a record is, and what it contains. */
export function recordWords(record: NdefRecord): { label: string; text: string } {
  switch (record.kind) {
    case 'text':
      return { label: t('nfc.record_text'), text: record.text };
    case 'address':
      return { label: t('nfc.record_address'), text: record.text };
    case 'media':
      return {
        label: record.type,
        text: record.text ?? formatBytes(record.size, language.value),
      };
    case 'empty':
      return { label: t('nfc.record_empty'), text: t('nfc.nothing') };
    case 'other':
      return {
        label: t('nfc.record_unknown'),
        text: `${record.type} ${formatBytes(record.size, language.value)}`,
      };
  }
}

/** A message in one line. */
export function summaryOf(ndef: string | undefined): string {
  if (ndef === undefined) return t('nfc.nothing');
  const records = recordsIn(ndef);
  if (!records) return t('nfc.damaged');
  const text = records.map((record) => recordWords(record).text).join(' · ');
  return text.length > MAX_SUMMARY ? `${text.slice(0, MAX_SUMMARY).toWellFormed()}…` : text;
}
