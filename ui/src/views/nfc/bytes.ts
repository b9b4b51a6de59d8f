/** Bytes as text: base64 as in requests, and hexadecimal as people write it. Pure. */

/** @throws DOMException if it is not base64 */
export function bytesOfBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

export function base64Of(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

/** In pairs of digits with spaces between them. */
export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).toUpperCase().padStart(2, '0')).join(' ');
}

/** Spaces, colons and line breaks between pairs of digits do not count. @returns undefined if it is no such text */
export function bytesOfHex(text: string): Uint8Array | undefined {
  const digits = text.replaceAll(/[\s:]/g, '');
  if (!/^(?:[0-9a-f]{2})*$/i.test(digits)) return undefined;
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
