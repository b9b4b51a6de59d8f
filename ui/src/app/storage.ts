/** What this browser remembers for the user. It may be full or forbidden; then nothing is remembered. */

const PREFIX = 'vitrine.';
/** Longest value that is stored, in characters. */
const MAX_LENGTH = 20_000;

/** @returns undefined if there is no value, or it cannot be read */
export function remembered(name: string): string | undefined {
  try {
    return localStorage.getItem(PREFIX + name) ?? undefined;
  } catch {
    return undefined;
  }
}

/** @param value undefined forgets it */
export function remember(name: string, value: string | undefined): void {
  try {
    if (value === undefined || value.length > MAX_LENGTH) localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, value);
  } catch {
    // The browser does not allow it.
  }
}

/** As {@link remembered}, for this tab alone: also after a reload, until it is closed. */
export function rememberedHere(name: string): string | undefined {
  try {
    return sessionStorage.getItem(PREFIX + name) ?? undefined;
  } catch {
    return undefined;
  }
}

/** As {@link remember}, for this tab alone. */
export function rememberHere(name: string, value: string | undefined): void {
  try {
    if (value === undefined || value.length > MAX_LENGTH) sessionStorage.removeItem(PREFIX + name);
    else sessionStorage.setItem(PREFIX + name, value);
  } catch {
    // The browser does not allow it.
  }
}

/** A remembered list of texts, the newest first. @param most how many are kept */
export function rememberedList(name: string, most: number): string[] {
  try {
    const value: unknown = JSON.parse(remembered(name) ?? '[]');
    return Array.isArray(value) ? value.filter((one) => typeof one === 'string').slice(0, most) : [];
  } catch {
    return [];
  }
}

/** Adds a text at the front of a list, once. @returns the list */
export function addToList(list: readonly string[], text: string, most: number): string[] {
  return [text, ...list.filter((one) => one !== text)].slice(0, most);
}
