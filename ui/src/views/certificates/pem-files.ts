/** Which kinds of things are in chosen files, before they are sent. What fits together is the device's to say. Pure. */

export type PartKind = 'certificate' | 'key' | 'encrypted_key' | 'request' | 'public_key' | 'other';

export interface Part {
  readonly kind: PartKind;
  /** The whole block, with its first and last line. */
  readonly text: string;
}

export interface ReadFile {
  readonly parts: readonly Part[];
  /** Why the file cannot be used; undefined if it can. */
  readonly problem: FileProblem | undefined;
}

/** `package`: a PKCS#12 file, which has key and certificate under a password. */
export type FileProblem = 'unknown' | 'incomplete' | 'package' | 'too_large';

/** The device takes this much PEM, in bytes. */
export const MAX_BYTES = 1024 * 1024;

/** Reads the content of a file: PEM, or a single certificate in binary form (DER), as Windows writes it. */
export function readCertificateFile(bytes: Uint8Array): ReadFile {
  if (bytes.length > MAX_BYTES) return { parts: [], problem: 'too_large' };
  const text = new TextDecoder('latin1').decode(bytes);
  const [, ...sections] = text.split('-----BEGIN ');
  if (sections.length === 0) return readBinary(bytes);
  const parts: Part[] = [];
  for (const section of sections) {
    const [label = '', body = '', end] = section.split('-----', 3);
    if (end !== `END ${label}`) return { parts: [], problem: 'incomplete' };
    // What key generators write before a key is in the key itself.
    if (label.endsWith(' PARAMETERS')) continue;
    const block = `-----BEGIN ${label}-----${body}-----END ${label}-----\n`;
    parts.push({ kind: kindOf(label, body), text: block });
  }
  return { parts, problem: undefined };
}

function kindOf(label: string, body: string): PartKind {
  if (/^(?:X509 )?CERTIFICATE$/.test(label)) return 'certificate';
  if (label.endsWith('PRIVATE KEY')) {
    // The older encryption of OpenSSL has a header in the block.
    return label.startsWith('ENCRYPTED') || body.includes('Proc-Type:') ? 'encrypted_key' : 'key';
  }
  if (label.endsWith('CERTIFICATE REQUEST')) return 'request';
  return label.endsWith('PUBLIC KEY') ? 'public_key' : 'other';
}

/** Tags of DER. */
const [SEQUENCE, INTEGER] = [0x30, 0x02];
/** Version of every PKCS#12 file. */
const PACKAGE_VERSION = 3;
const LINE = 64;

function readBinary(bytes: Uint8Array): ReadFile {
  const [outer, length = 0] = bytes;
  const start = 2 + (length >= 0x80 ? length - 0x80 : 0);
  if (outer !== SEQUENCE) return { parts: [], problem: 'unknown' };
  const [tag, , version] = bytes.subarray(start);
  if (tag === INTEGER && version === PACKAGE_VERSION) return { parts: [], problem: 'package' };
  // A certificate begins with its signed part, which is a sequence, too; keys begin with a version.
  if (tag !== SEQUENCE) return { parts: [], problem: 'unknown' };
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  const lines = base64.match(new RegExp(`.{1,${LINE}}`, 'g')) ?? [];
  const text = ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
  return { parts: [{ kind: 'certificate', text }], problem: undefined };
}

/** What a server's certificate still lacks, or has too much of; undefined if it can be sent. */
export type ServerProblem = 'certificate_missing' | 'key_missing' | 'key_encrypted' | 'keys' | 'strange';

export function serverProblem(parts: readonly Part[]): ServerProblem | undefined {
  const kinds = parts.map(({ kind }) => kind);
  if (kinds.includes('encrypted_key')) return 'key_encrypted';
  if (kinds.some((kind) => kind !== 'certificate' && kind !== 'key')) return 'strange';
  if (!kinds.includes('certificate')) return 'certificate_missing';
  const keys = kinds.filter((kind) => kind === 'key').length;
  if (keys === 0) return 'key_missing';
  return keys > 1 ? 'keys' : undefined;
}

/** Why parts are no list of authorities; undefined if they can be sent. */
export type AuthorityProblem = 'certificate_missing' | 'key_inside' | 'strange';

export function authorityProblem(parts: readonly Part[]): AuthorityProblem | undefined {
  const kinds = parts.map(({ kind }) => kind);
  if (kinds.includes('key') || kinds.includes('encrypted_key')) return 'key_inside';
  if (kinds.some((kind) => kind !== 'certificate')) return 'strange';
  return kinds.length === 0 ? 'certificate_missing' : undefined;
}

/** The content of a PEM block without line ends, to compare blocks that two programs have written. */
export function bodyOf(pem: string): string {
  return pem.replaceAll(/-----[^-]*-----|\s/g, '');
}
