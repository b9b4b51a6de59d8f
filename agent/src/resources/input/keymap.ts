/**
 * The keymap of the remote host's keyboard: named keys, and a key for each character, so that any text can be typed
 * whatever the layout of real keyboards is. The compositor gives each keyboard's keymap to the browser with its keys.
 */
import type { KEYS } from './schema.ts';

export type KeyName = (typeof KEYS)[number];

/** Each key's code (linux/input-event-codes.h) and symbol (xkbcommon-keysyms.h). */
const NAMED: Readonly<Record<KeyName, readonly [code: number, symbol: string]>> = {
  Enter: [28, 'Return'],
  Tab: [15, 'Tab'],
  Backspace: [14, 'BackSpace'],
  Delete: [111, 'Delete'],
  Escape: [1, 'Escape'],
  ArrowLeft: [105, 'Left'],
  ArrowRight: [106, 'Right'],
  ArrowUp: [103, 'Up'],
  ArrowDown: [108, 'Down'],
  Home: [102, 'Home'],
  End: [107, 'End'],
  PageUp: [104, 'Prior'],
  PageDown: [109, 'Next'],
  Shift: [42, 'Shift_L'],
  Control: [29, 'Control_L'],
};
/** XKB's modifiers by their keys. */
const MODIFIERS = [
  { key: 'Shift', name: 'Shift', mask: 1 },
  { key: 'Control', name: 'Control', mask: 4 },
] as const;

/** XKB adds this to the kernel's codes. */
const XKB_OFFSET = 8;
/** Above the kernel's last code, so that pages do not take a character for the key at some place of a keyboard. */
const FIRST_CHARACTER_CODE = 0x300;
/** Printable ASCII, which every keymap has. */
const ASCII = { first: 0x20, last: 0x7e };
const ASCII_COUNT = ASCII.last - ASCII.first + 1;

/** Most characters beside ASCII in one keymap. libxkbcommon takes codes up to 4095. */
export const MAX_CHARACTERS = 2000;

export function isAscii(character: string): boolean {
  return character >= ' ' && character <= '~';
}

/** The kernel's code of a named key. */
export function codeOfKey(name: KeyName): number {
  return NAMED[name][0];
}

/** The mask of the modifiers among the keys that are held. @param codes of the held keys */
export function modifierMask(codes: readonly number[]): number {
  return MODIFIERS.reduce((mask, { key, mask: bit }) => mask | (codes.includes(codeOfKey(key)) ? bit : 0), 0);
}

/** The codes of ASCII, and of the characters of a keymap. */
export function codesOfCharacters(characters: readonly string[]): ReadonlyMap<string, number> {
  const ascii = Array.from({ length: ASCII_COUNT }, (_, index) => String.fromCodePoint(ASCII.first + index));
  return new Map(
    [...ascii, ...characters].map((character, index) => [character, FIRST_CHARACTER_CODE + index]),
  );
}

/**
 * The keymap as one line of XKB's text format.
 * @param characters beside ASCII, at most MAX_CHARACTERS
 */
export function keymapText(characters: readonly string[]): string {
  const named = Object.values(NAMED);
  const typed = [...codesOfCharacters(characters)].map(
    ([character, code]) => [code, `U${hex(character.codePointAt(0) ?? 0)}`] as const,
  );
  const last = FIRST_CHARACTER_CODE + typed.length + XKB_OFFSET;
  const codes = [...named, ...typed].map(([code]) => `<${code}>=${code + XKB_OFFSET};`).join('');
  const keys = named.map(([code, symbol]) => `key<${code}>{[${symbol}]};`).join('');
  // On a busy device, the browser may get the release of a key so late that it would repeat the character.
  const characterKeys = typed.map(([code, symbol]) => `key<${code}>{repeat=No,[${symbol}]};`).join('');
  const modifiers = MODIFIERS.map(({ key, name }) => {
    const code = codeOfKey(key);
    return `key<${code}>{repeat=No};modifier_map ${name}{<${code}>};`;
  }).join('');
  // One level for each key: Shift changes no character.
  const types = 'type "ONE_LEVEL"{modifiers=none;map[none]=Level1;level_name[Level1]="Any";};';
  return (
    `xkb_keymap{xkb_keycodes{minimum=${XKB_OFFSET};maximum=${last};${codes}};xkb_types{${types}};` +
    `xkb_compatibility{};xkb_symbols{${keys}${characterKeys}${modifiers}};};`
  );
}

function hex(codePoint: number): string {
  return codePoint.toString(16).toUpperCase().padStart(4, '0');
}
