import { ApiError } from '../../contract/errors.ts';

/** One `-----BEGIN …-----` block of a PEM file. */
export interface PemBlock {
  /** What it says it is: `CERTIFICATE`, `PRIVATE KEY`… */
  label: string;
  /** Protected by a passphrase in OpenSSL's old way (`Proc-Type` header). */
  encrypted: boolean;
  der: Buffer;
}

const BEGIN = /^-----BEGIN ([A-Z0-9 ]{1,40})-----$/;
const END = /^-----END ([A-Z0-9 ]{1,40})-----$/;
/** RFC 1421 header of a block: `Proc-Type: 4,ENCRYPTED`. Base64 has no colon. */
const HEADER = /^[A-Za-z0-9-]{1,40}:/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
/** Parameters that key generators write before the key; the key carries them itself. */
const IGNORED = new Set(['EC PARAMETERS', 'DH PARAMETERS']);

/**
 * Reads a PEM file (RFC 7468) as people have them: with comments around the blocks, any line ends, a byte order mark,
 * indented. No message here or from what reads the blocks quotes the file: it may hold a key.
 * @throws ApiError `bad_request` when there is no block, or one that is not whole
 */
export function readPem(file: Buffer): PemBlock[] {
  const blocks: PemBlock[] = [];
  let open: OpenBlock | undefined;
  // Files put together with `cat` whose first has no last line end.
  const text = file.toString('latin1').replaceAll('----------BEGIN ', '-----\n-----BEGIN ');
  for (const raw of text.split(/\r\n|\n|\r/)) {
    // The mark that Windows editors put first, as it reads in this encoding.
    const line = raw.replace(/^\u00ef\u00bb\u00bf/, '').trim();
    const begin = BEGIN.exec(line)?.[1];
    if (begin !== undefined) {
      if (open) throw refusal(`Block ${open.place} begins and does not end.`);
      open = { label: begin, place: blocks.length + 1, encrypted: false, base64: [] };
    } else if (open) {
      const end = END.exec(line)?.[1];
      if (end === undefined) readLine(open, line);
      else {
        if (end !== open.label) throw refusal(`Block ${open.place} ends as something else than it begins.`);
        blocks.push({ label: open.label, encrypted: open.encrypted, der: decode(open) });
        open = undefined;
      }
    }
  }
  if (open) throw refusal(`Block ${open.place} begins and does not end.`);
  if (blocks.length === 0) throw refusal('This is no PEM file: there is no "-----BEGIN" line in it.');
  return blocks.filter(({ label }) => !IGNORED.has(label));
}

interface OpenBlock {
  label: string;
  /** 1 for the first block of the file. */
  place: number;
  encrypted: boolean;
  base64: string[];
}

function readLine(block: OpenBlock, line: string): void {
  if (line === '') return;
  if (block.base64.length === 0 && HEADER.test(line)) {
    if (/^Proc-Type:.*ENCRYPTED/i.test(line)) block.encrypted = true;
  } else if (BASE64.test(line)) block.base64.push(line);
  else throw refusal(`Block ${block.place} is not base64 between its first and its last line.`);
}

function decode({ base64, place }: OpenBlock): Buffer {
  const text = base64.join('');
  if (text.length === 0 || text.length % 4 !== 0 || /=[^=]/.test(text)) {
    throw refusal(`Block ${place} is cut off or has a damaged line.`);
  }
  return Buffer.from(text, 'base64');
}

export function refusal(message: string): ApiError {
  return new ApiError('bad_request', message);
}
