import type { Notice, WaitingPage as Port } from './ports.ts';

/** What the waiting page tells. */
export interface WaitingFacts {
  name: string;
  version: string;
  /** Where hosts reach the device, best first; empty while there is none. */
  addresses: string[];
}

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
    this.#text ??= this.#template().then(String);
    return fill(await this.#text, this.#facts(), notice);
  }
}

/** Puts facts into the template's `{{…}}` places; everything is escaped. */
export function fill(template: string, facts: WaitingFacts, notice: Notice | undefined): string {
  const addresses = facts.addresses
    .slice(0, SHOWN_ADDRESSES)
    .map((address) => `<li>${escaped(address)}</li>`);
  const values: Record<string, string> = {
    state: notice ? 'notice' : facts.addresses.length > 0 ? 'ready' : 'offline',
    name: escaped(facts.name),
    version: escaped(facts.version),
    addresses: addresses.join(''),
    what: escaped(notice?.what ?? ''),
    why: escaped(notice?.why ?? ''),
  };
  return template.replaceAll(/\{\{(\w+)\}\}/g, (_place, key: string) => values[key] ?? '');
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
