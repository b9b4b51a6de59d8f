/** What GnuTLS demands of a certificate (RFC 5280, 4.1) and OpenSSL, which has read it before, does not. */

interface Element {
  tag: number;
  body: Buffer;
  /** Tag and length, too. */
  whole: Buffer;
}

const VERSION = 0xa0;
const EXTENSIONS = 0xa3;
const VERSION_3 = Buffer.from([2, 1, 2]);
const UTC_TIME = 0x17;
const GENERALIZED_TIME = 0x18;

/**
 * Looks at the form of a certificate that OpenSSL reads.
 * @returns what GnuTLS would refuse it for, as the end of a sentence; undefined when it takes it
 */
export function formProblem(der: Buffer): string | undefined {
  const [certificate] = elementsOf(der) ?? [];
  const [signed, algorithm] = (certificate && elementsOf(certificate.body)) ?? [];
  const fields = signed && elementsOf(signed.body);
  if (!algorithm || !fields) return 'it is not in the distinguished encoding (DER)';
  const version = fields[0]?.tag === VERSION ? fields.shift() : undefined;
  const [, innerAlgorithm, , validity] = fields;
  if (!innerAlgorithm?.whole.equals(algorithm.whole)) return 'it names two signature algorithms';
  if (fields.some(({ tag }) => tag === EXTENSIONS) && !version?.body.equals(VERSION_3)) {
    return 'it has extensions and is not of version 3';
  }
  const times = (validity && elementsOf(validity.body)) ?? [];
  if (times.length !== 2 || !times.every(isTime)) return 'its time of validity is no time';
  return undefined;
}

/** One after the other; undefined when a length is not told, or runs past the end. */
function elementsOf(der: Buffer): Element[] | undefined {
  const found: Element[] = [];
  for (let at = 0; at < der.length; ) {
    if (at + 2 > der.length) return undefined;
    const [tag, first] = [der.readUInt8(at), der.readUInt8(at + 1)];
    const digits = first & 0x80 ? first & 0x7f : 0;
    const begin = at + 2 + digits;
    // Four digits are 4 GB; 0x80 alone is a length that is not told.
    if (first === 0x80 || digits > 4 || begin > der.length) return undefined;
    const end = begin + (digits === 0 ? first : der.readUIntBE(at + 2, digits));
    if (end > der.length) return undefined;
    found.push({ tag, body: der.subarray(begin, end), whole: der.subarray(at, end) });
    at = end;
  }
  return found;
}

function isTime({ tag, body }: Element): boolean {
  const text = body.toString('latin1');
  // Of a year of two digits, those below 50 are of this century.
  const full = tag === UTC_TIME && /^\d{12}Z$/.test(text) ? `${text < '5' ? '20' : '19'}${text}` : text;
  if ((tag !== UTC_TIME && tag !== GENERALIZED_TIME) || !/^\d{14}Z$/.test(full)) return false;
  const iso = full.replace(/^(....)(..)(..)(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6.000Z');
  const time = new Date(iso);
  return !Number.isNaN(time.getTime()) && time.toISOString() === iso;
}
