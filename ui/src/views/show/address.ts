/** Addresses that the device can show. Pure. */

/** The longest one, in characters (the contract's `navigate`). */
const MAX_LENGTH = 8192;

/** The address in what somebody has typed; undefined if the device cannot show it. */
export function addressIn(typed: string): string | undefined {
  const text = typed.trim();
  const url = URL.parse(text);
  const isPage = url?.protocol === 'http:' || url?.protocol === 'https:';
  return isPage && url.hostname !== '' && /^https?:\/\/[^\s/]/i.test(text) && text.length <= MAX_LENGTH
    ? text
    : undefined;
}
