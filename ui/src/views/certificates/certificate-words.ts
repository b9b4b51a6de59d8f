/** Certificates in words. Pure, except for the language of the texts. */
import { ownNames } from '../../../../client/addresses.ts';
import type { ResponseOf } from '../../../../client/contract.ts';
import type { Level } from '../../app/display-words.ts';
import { formatDuration, formatTime } from '../../app/format.ts';
import { type Language, t } from '../../app/texts.ts';

export type Certificates = ResponseOf<'GET', '/files/certificates'>;
export type Certificate = Certificates['server'][number];

/** How long before its end a certificate is to be renewed, in ms. */
export const SOON_MS = 30 * 24 * 60 * 60_000;

/** The name in a subject or issuer: its common name, else its last part, else all of it. */
export function nameIn(subject: string): string {
  const parts = subject.split('\n');
  const part = parts.findLast((one) => one.startsWith('CN=')) ?? parts.at(-1) ?? '';
  return unescaped(part.replace(/^[A-Za-z0-9.]+=/, ''));
}

/** All parts of a subject or issuer, in a line. */
export function wholeName(subject: string): string {
  return unescaped(subject.replaceAll('\n', ', '));
}

/** Without the escapes of RFC 4514, of which people need only the characters. */
function unescaped(text: string): string {
  return text.replaceAll(/\\([ "#+,;<=>\\])/g, '$1');
}

export type ValidityKind = 'valid' | 'soon' | 'expired' | 'future' | 'unknown';

/** @param now in ms since 1970 */
export function validityOf(
  { valid_from, valid_to }: Pick<Certificate, 'valid_from' | 'valid_to'>,
  now: number,
): ValidityKind {
  if (valid_from === null || valid_to === null) return 'unknown';
  if (Date.parse(valid_to) < now) return 'expired';
  if (Date.parse(valid_from) > now) return 'future';
  return Date.parse(valid_to) - now < SOON_MS ? 'soon' : 'valid';
}

const LEVELS: Readonly<Record<ValidityKind, Level>> = {
  valid: 'good',
  soon: 'warning',
  expired: 'bad',
  future: 'warning',
  unknown: 'unknown',
};

/** How a certificate stands now, in words. */
export function validityWords(
  certificate: Pick<Certificate, 'valid_from' | 'valid_to'>,
  now: number,
  language: Language,
): { level: Level; text: string } {
  const kind = validityOf(certificate, now);
  const away = (time: string | null): string =>
    formatDuration(Math.abs(Date.parse(time ?? '') - now) / 1000, language);
  const time = away(kind === 'future' ? certificate.valid_from : certificate.valid_to);
  return { level: LEVELS[kind], text: t(`certificates.is_${kind}`, { time }) };
}

/** From when until when a certificate is valid. */
export function periodOf({ valid_from, valid_to }: Certificate, language: Language): string {
  const [from, to] = [valid_from, valid_to].map((time) => (time === null ? '?' : formatTime(time, language)));
  return t('certificates.period', { from: from ?? '', to: to ?? '' });
}

/** Whether a certificate is valid for a host, as browsers check it. @param host as `location.hostname` has it */
export function covers(names: readonly string[], host: string): boolean {
  const wanted = host.toLowerCase();
  return names.some((name) => {
    if (name.includes(':')) return URL.parse(`http://[${name}]/`)?.hostname === wanted;
    const lower = name.toLowerCase();
    // A wildcard stands for one label.
    if (lower.startsWith('*.')) return wanted.slice(wanted.indexOf('.')) === lower.slice(1);
    return lower === wanted;
  });
}

/** What happens to this page's own connection with the certificate of the device. */
export type Cut = 'none' | 'https' | 'name';

/**
 * @param hostname the device's own
 * @returns `https`: it ends without a certificate. `name`: the device answers to the name in the address only because a
 *   certificate has it
 */
export function cutBy(
  { protocol, hostname: host }: Pick<Location, 'protocol' | 'hostname'>,
  hostname: string,
): Cut {
  const isAddress = host.startsWith('[') || /^\d+(?:\.\d+){3}$/.test(host);
  if (
    !isAddress &&
    ![...ownNames(hostname, true).flatMap((name) => [name, `${name}.local`]), 'localhost'].includes(
      host.toLowerCase(),
    )
  )
    return 'name';
  return protocol === 'https:' ? 'https' : 'none';
}
