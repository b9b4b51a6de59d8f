import { isIPv4, isIPv6 } from 'node:net';
import type { Notice } from './target.ts';

/** The facts on the waiting page. */
export interface WaitingFacts {
  name: string;
  version: string;
  /** All addresses of the device's interfaces, in their order. */
  addresses: readonly string[];
  /** Version of the owner's image; empty or absent without one. */
  splash?: string;
}

/** Address of the owner's image; `?v=` keeps the browser from showing an earlier one. */
export const SPLASH_URI = 'vitrine://files/splash';

const MAX_ADDRESSES = 3;

/**
 * The built-in page: name and addresses of the device, or why the requested page is not shown.
 * @param template page/waiting.html; its `{{…}}` placeholders are filled, and everything is escaped
 */
export function waitingPage(template: string, facts: WaitingFacts, notice: Notice | undefined): string {
  const urls = hostUrls(facts.addresses);
  const addresses = urls.slice(0, MAX_ADDRESSES).map((url) => `<li>${escaped(url)}</li>`);
  const values: Record<string, string> = {
    state: notice ? 'notice' : urls.length > 0 ? 'ready' : 'offline',
    name: escaped(facts.name),
    version: escaped(facts.version),
    splash: facts.splash
      ? `<img class="splash" src="${SPLASH_URI}?v=${encodeURIComponent(facts.splash)}" alt="">\n`
      : '',
    addresses: addresses.join(''),
    what: escaped(notice?.what ?? ''),
    why: escaped(notice?.why ?? ''),
    again: notice?.retrying ? ' Trying again.' : '',
  };
  return template.replaceAll(/\{\{(\w+)\}\}/g, (_placeholder, key: string) => values[key] ?? '');
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** URLs that people can type to reach the device: IPv4 first, without link-local addresses. */
export function hostUrls(addresses: readonly string[]): string[] {
  const v4 = addresses.filter((address) => isIPv4(address) && !address.startsWith('169.254.'));
  const v6 = addresses.filter((address) => isIPv6(address) && !/^fe[89a-f]/i.test(address));
  return [...v4.map((address) => `http://${address}`), ...v6.map((address) => `http://[${address}]`)];
}
