/** Inputs for the screen of the device, as `POST /input/inject` takes them, and those of a keyboard. Pure. */
import type { ArgumentsOf } from '../../../../client/contract.ts';

export type InputEvent = ArgumentsOf<'POST', '/input/inject'>['json']['events'][number];
export type Button = NonNullable<InputEvent['button']>;
export type Key = NonNullable<InputEvent['key']>;
/** Keys that are held while another one is pressed. */
export type Modifier = Extract<Key, 'Shift' | 'Control'>;
export type PlainKey = Exclude<Key, Modifier>;

/** Characters of all texts of a request (contract). */
export const MAX_TEXT = 1000;

/** The keys that the device takes by name. An object, so that none is missing. */
const PLAIN_KEYS: Readonly<Record<PlainKey, true>> = {
  Escape: true,
  Tab: true,
  Enter: true,
  Backspace: true,
  Delete: true,
  ArrowLeft: true,
  ArrowRight: true,
  ArrowUp: true,
  ArrowDown: true,
  Home: true,
  End: true,
  PageUp: true,
  PageDown: true,
};

/** Whether the device takes a key by its name in keyboard events. */
export function isPlainKey(name: string): name is PlainKey {
  return Object.hasOwn(PLAIN_KEYS, name);
}

/**
 * A key, pressed and released, while modifiers are held. As a whole: if its release came by itself and late, as on a slow
 * link, the page would repeat the key.
 */
export function chord(key: PlainKey, modifiers: readonly Modifier[] = []): InputEvent[] {
  const set = (pressed: boolean) =>
    modifiers.map((modifier): InputEvent => ({ type: 'key', key: modifier, pressed }));
  return [...set(true), { type: 'key', key }, ...set(false).reverse()];
}

/**
 * What types a text, without the control characters that the device does not take.
 * @returns nothing for an empty text; undefined for one that is too long
 */
export function typing(text: string): InputEvent[] | undefined {
  const clean = text
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[^\P{Cc}\n\t]/gu, '')
    .toWellFormed();
  if (clean.length > MAX_TEXT) return undefined;
  return clean === '' ? [] : [{ type: 'text', text: clean }];
}

/** What the browser says about a key. */
export type KeyPress = Pick<
  KeyboardEvent,
  'key' | 'shiftKey' | 'ctrlKey' | 'altKey' | 'metaKey' | 'isComposing'
> & { readonly isAltGraph: boolean };

/**
 * What a key that goes down does on the device.
 * @returns undefined if the key stays with the browser: its own shortcuts, and keys that the device does not take
 */
export function inputsOfKey(press: KeyPress): InputEvent[] | undefined {
  const { key, shiftKey, ctrlKey, metaKey, isAltGraph } = press;
  if (press.isComposing || metaKey) return undefined;
  if (isPlainKey(key)) {
    if (press.altKey) return undefined;
    return chord(key, [
      ...(ctrlKey ? (['Control'] as const) : []),
      ...(shiftKey ? (['Shift'] as const) : []),
    ]);
  }
  if ([...key].length !== 1) return undefined;
  const isShortcut = !isAltGraph && (ctrlKey || (press.altKey && /^[a-z0-9]$/i.test(key)));
  // With Alt, a Mac types characters such as @; letters and digits are shortcuts elsewhere.
  return isShortcut ? undefined : typing(key);
}
