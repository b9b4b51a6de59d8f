import { ApiError } from '../../contract/errors.ts';

/** One `-----BEGIN …-----` block of a PEM file. */
export interface PemBlock {
  /** `CERTIFICATE`, `PRIVATE KEY`… */
  label: string;
  /** Position in the file, from 1. */
  place: number;
  /** The text between the first and the last line. */
  body: string;
}

/**
 * Splits a PEM file (RFC 7468) into its blocks: with text around them, any line ends, a byte order mark, indentation.
 * Messages never quote the file, here and wherever blocks are read: it may hold a key.
 * @returns the blocks without the parameters that key generators write before a key, which contains them itself
 * @throws ApiError `bad_request` when there is no block, or one without its end
 */
export function readPem(file: Buffer): PemBlock[] {
  const [, ...sections] = file.toString('latin1').split('-----BEGIN ');
  if (sections.length === 0) throw refusal('This is not a PEM file: it has no "-----BEGIN" line.');
  const blocks = sections.map((section, index) => {
    const [label = '', body = '', end] = section.split('-----', 3);
    if (end !== `END ${label}`) throw refusal(`Block ${index + 1} does not end with its "-----END" line.`);
    return { label, place: index + 1, body };
  });
  return blocks.filter(({ label }) => !label.endsWith(' PARAMETERS'));
}

/**
 * The content of a block.
 * @throws ApiError `bad_request` when it is not base64
 */
export function decode({ body, place }: PemBlock): Buffer {
  const base64 = body.replaceAll(/\s/g, '');
  const der = Buffer.from(base64, 'base64');
  if (der.toString('base64') !== base64) throw refusal(`Block ${place} is damaged: it is not base64.`);
  return der;
}

export function isPrivateKey({ label }: PemBlock): boolean {
  return label.endsWith('PRIVATE KEY');
}

/** The result of a call into OpenSSL; undefined when it throws. Its messages could quote the file, so they are dropped. */
export function attempt<T>(call: () => T): T | undefined {
  try {
    return call();
  } catch {
    return undefined;
  }
}

export function refusal(message: string): ApiError {
  return new ApiError('bad_request', message);
}
