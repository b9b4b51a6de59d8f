/** Scripts that were run before, which the arrow keys bring back as in a terminal. Pure. */
import { addToList } from '../../app/storage.ts';

/** How many are remembered. */
export const MOST_SCRIPTS = 20;
/** How long they may be together, in characters: a browser remembers little. */
const MOST_CHARACTERS = 12_000;

/** Adds a script at the front of the list, once. One that is too long is not remembered. */
export function addScript(list: readonly string[], script: string): string[] {
  if (script.length > MOST_CHARACTERS) return [...list];
  let left = MOST_CHARACTERS;
  return addToList(list, script, MOST_SCRIPTS).filter((one) => {
    left -= one.length;
    return left >= 0;
  });
}

/** Where somebody types. */
export interface Caret {
  readonly value: string;
  readonly selectionStart: number;
  readonly selectionEnd: number;
}

/** An earlier script, or a later one. */
export type Direction = 'earlier' | 'later';

/**
 * Whether an arrow key leaves the script: up on its first line, down on its last one, without a selection.
 * @param key of the keyboard event
 */
export function leaving(key: string, { value, selectionStart, selectionEnd }: Caret): Direction | undefined {
  if (selectionStart !== selectionEnd) return undefined;
  if (key === 'ArrowUp') return value.slice(0, selectionStart).includes('\n') ? undefined : 'earlier';
  if (key === 'ArrowDown') return value.slice(selectionEnd).includes('\n') ? undefined : 'later';
  return undefined;
}

/** What is shown of the history. */
export interface Recall {
  /** Place in the list; -1 for what the user is typing. */
  readonly at: number;
  /** What the user was typing. */
  readonly draft: string;
}

/**
 * The next place in the history, and the script there; undefined at its ends.
 * @param typed what the field has now
 */
export function recalled(
  list: readonly string[],
  { at, draft }: Recall,
  typed: string,
  direction: Direction,
): { recall: Recall; script: string } | undefined {
  const next = at + (direction === 'earlier' ? 1 : -1);
  const kept = at < 0 ? typed : draft;
  const script = next < 0 ? kept : list[next];
  if (next < -1 || script === undefined) return undefined;
  return { recall: { at: next, draft: kept }, script };
}
