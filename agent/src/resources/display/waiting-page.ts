import { isIPv4, isIPv6 } from 'node:net';
import type { Notice, WaitingPage as Port } from './ports.ts';

/** What the waiting page tells. */
export interface WaitingFacts {
  name: string;
  version: string;
  /** All addresses of the device's interfaces, in their order. */
  addresses: readonly string[];
  /** Tells the owner's image from the one before; empty or absent when there is none. */
  splash?: string;
}

/** Where the browser gets the owner's image from; `?v=` keeps it from showing an earlier one. */
export const SPLASH_URI = 'vitrine://files/splash';

const SHOWN_ADDRESSES = 3;

/** The built-in page: who this is, and where it can be reached; or why the page that was asked for is not there. */
export class WaitingPage implements Port {
  readonly #template: () => Promise<Buffer | string>;
  readonly #facts: () => WaitingFacts;
  #text: Promise<string> | undefined;

  /**
   * @param template reads page/waiting.html
   * @param facts asked at every drawing
   */
  constructor(template: () => Promise<Buffer | string>, facts: () => WaitingFacts) {
    this.#template = template;
    this.#facts = facts;
  }

  async render(notice: Notice | undefined): Promise<string> {
    this.#text ??= this.#template()
      .then(String)
      .catch((error: unknown) => {
        this.#text = undefined; // read again the next time
        throw error;
      });
    return fill(await this.#text, this.#facts(), notice);
  }
}

/** Puts facts into the template's `{{…}}` places; everything is escaped. */
export function fill(template: string, facts: WaitingFacts, notice: Notice | undefined): string {
  const urls = hostUrls(facts.addresses);
  const addresses = urls.slice(0, SHOWN_ADDRESSES).map((url) => `<li>${escaped(url)}</li>`);
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
  return template.replaceAll(/\{\{(\w+)\}\}/g, (_place, key: string) => values[key] ?? '');
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** What people type to reach the device: IPv4 first, no addresses that are good on one link only. */
export function hostUrls(addresses: readonly string[]): string[] {
  const v4 = addresses.filter((address) => isIPv4(address) && !address.startsWith('169.254.'));
  const v6 = addresses.filter((address) => isIPv6(address) && !/^fe[89a-f]/i.test(address));
  return [...v4.map((address) => `http://${address}`), ...v6.map((address) => `http://[${address}]`)];
}
