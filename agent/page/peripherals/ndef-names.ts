/** The names of record types in Web NFC: external types, with domains in Unicode, and local types. Pure. */

/** Longest type of a record, in bytes. */
const MAX_TYPE_LENGTH = 255;
const TYPE_NAME = /^[A-Za-z0-9$'()*+,\-.;=@_]+$/;
/** Parts of a domain in ASCII (STD 3). */
const LABELS = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;
const MAX_DOMAIN_LENGTH = 253;
/** What a host in a URL may have besides letters, but a domain may not. */
const NOT_IN_DOMAIN = /[\s%/:?#@[\]\\]/;
const ACE_PREFIX = 'xn--';

/**
 * The type of an external record as it is stored: `example.com:type`, the domain in ASCII.
 * @param name as the page gives it, `håndværker.dk:abc`
 * @returns undefined if it is no external type
 */
export function storedExternalType(name: string): string | undefined {
  const colon = name.indexOf(':');
  if (colon < 1 || !TYPE_NAME.test(name.slice(colon + 1))) return undefined;
  const domain = domainToAscii(name.slice(0, colon));
  return domain === undefined ? undefined : domain + name.slice(colon);
}

/** The name of a stored external type, with its domain in Unicode. @returns undefined if it is no external type */
export function shownExternalType(type: string): string | undefined {
  const stored = storedExternalType(type);
  if (stored === undefined) return undefined;
  const colon = stored.indexOf(':');
  const domain = domainToUnicode(stored.slice(0, colon));
  return domain === undefined ? undefined : domain + stored.slice(colon);
}

/** Whether this can be a local type, as `act`, without its colon. */
export function isLocalType(type: string): boolean {
  return /^[a-z0-9]/.test(type) && new TextEncoder().encode(type).length <= MAX_TYPE_LENGTH;
}

function domainToAscii(domain: string): string | undefined {
  const ascii = isAscii(domain) ? domain.toLowerCase() : hostOf(domain);
  return ascii !== undefined && LABELS.test(ascii) && ascii.length <= MAX_DOMAIN_LENGTH ? ascii : undefined;
}

function domainToUnicode(ascii: string): string | undefined {
  if (!ascii.split('.').some((label) => label.startsWith(ACE_PREFIX))) return ascii;
  const labels = ascii.split('.').map((label) => {
    return label.startsWith(ACE_PREFIX) ? decodePunycode(label.slice(ACE_PREFIX.length)) : label;
  });
  const domain = labels.includes(undefined) ? undefined : labels.join('.');
  // Only what the browser would write in the same way.
  return domain !== undefined && hostOf(domain) === ascii ? domain : undefined;
}

function isAscii(text: string): boolean {
  return /^[ -~]*$/.test(text);
}

/** The domain as browsers write it in URLs (UTS 46). @returns undefined if it is none */
function hostOf(domain: string): string | undefined {
  const url = `http://${domain}`;
  return NOT_IN_DOMAIN.test(domain) || !URL.canParse(url) ? undefined : new URL(url).hostname;
}

const BASE = 36;
const T_MIN = 1;
const T_MAX = 26;
const SKEW = 38;
const DAMP = 700;
const INITIAL_BIAS = 72;
const FIRST_CODE = 0x80;
const LAST_CODE = 0x10ffff;

/** Decodes Punycode (RFC 3492, section 6.2). @returns undefined for other text */
function decodePunycode(text: string): string | undefined {
  const delimiter = text.lastIndexOf('-');
  const codes = Array.from(delimiter > 0 ? text.slice(0, delimiter) : '', (letter) => letter.charCodeAt(0));
  let at = delimiter > 0 ? delimiter + 1 : 0;
  let code = FIRST_CODE;
  let bias = INITIAL_BIAS;
  let position = 0;
  while (at < text.length) {
    const before = position;
    let weight = 1;
    for (let k = BASE; ; k += BASE) {
      const digit = Number.parseInt(text[at] ?? '', BASE);
      if (Number.isNaN(digit)) return undefined;
      at += 1;
      // In Punycode letters come before digits.
      const value = digit >= 10 ? digit - 10 : digit + 26;
      position += value * weight;
      const threshold = Math.min(T_MAX, Math.max(T_MIN, k - bias));
      if (value < threshold) break;
      weight *= BASE - threshold;
    }
    const length = codes.length + 1;
    bias = adapt(position - before, length, before === 0);
    code += Math.floor(position / length);
    if (code > LAST_CODE) return undefined;
    position %= length;
    codes.splice(position, 0, code);
    position += 1;
  }
  return String.fromCodePoint(...codes);
}

function adapt(delta: number, length: number, isFirst: boolean): number {
  let rest = Math.floor(delta / (isFirst ? DAMP : 2));
  rest += Math.floor(rest / length);
  let k = 0;
  while (rest > ((BASE - T_MIN) * T_MAX) / 2) {
    rest = Math.floor(rest / (BASE - T_MIN));
    k += BASE;
  }
  return k + Math.floor(((BASE - T_MIN + 1) * rest) / (rest + SKEW));
}
