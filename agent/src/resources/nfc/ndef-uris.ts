/** By the first byte of a URI record (NFC Forum: URI Record Type Definition, 3.2.2). */
export const PREFIXES = [
  '',
  'http://www.',
  'https://www.',
  'http://',
  'https://',
  'tel:',
  'mailto:',
  'ftp://anonymous:anonymous@',
  'ftp://ftp.',
  'ftps://',
  'sftp://',
  'smb://',
  'nfs://',
  'ftp://',
  'dav://',
  'news:',
  'telnet://',
  'imap:',
  'rtsp://',
  'urn:',
  'pop:',
  'sip:',
  'sips:',
  'tftp:',
  'btspp://',
  'btl2cap://',
  'btgoep://',
  'tcpobex://',
  'irdaobex://',
  'file://',
  'urn:epc:id:',
  'urn:epc:tag:',
  'urn:epc:pat:',
  'urn:epc:raw:',
  'urn:epc:',
  'urn:nfc:',
] as const;

/** The longest prefix that the address begins with. */
export function prefixOf(address: string): { code: number; length: number } {
  return PREFIXES.reduce(
    (best, prefix, code) =>
      address.startsWith(prefix) && prefix.length > best.length ? { code, length: prefix.length } : best,
    { code: 0, length: 0 },
  );
}
