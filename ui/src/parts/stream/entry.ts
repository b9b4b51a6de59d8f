/** One line of a log, a console, a channel or the events. What it says comes from elsewhere, so it is bounded. Pure. */

/** From the least to the most important. */
export const LEVELS = ['debug', 'info', 'warning', 'error'] as const;
export type Level = (typeof LEVELS)[number];

/** What is known about a line when it arrives. */
export interface Line {
  /** When it was said, in ms since 1970. */
  readonly at: number;
  readonly level?: Level;
  /** Who has said it, or what it is about. */
  readonly source: string;
  readonly text: string;
  /** Lines before this one that did not arrive; Infinity if nobody knows how many. Default: none. */
  readonly missing?: number;
}

/** A line that is kept. */
export interface Entry {
  /** One more than that of the line before. */
  readonly id: number;
  readonly at: number;
  /** Undefined for what has none, such as an event. */
  readonly level: Level | undefined;
  readonly source: string;
  readonly text: string;
  /** Characters at the end of the text that are not kept. */
  readonly cut: number;
  readonly missing: number;
}

/** Longest kept source, in characters. */
const LONGEST_SOURCE = 300;

/** The line as it is kept. @param longest text that is kept, in characters */
export function entryOf(id: number, line: Line, longest: number): Entry {
  const { at, level, source, text, missing = 0 } = line;
  return {
    ...{ id, at, level, missing },
    source: visible(source.slice(0, LONGEST_SOURCE)),
    text: visible(text.slice(0, longest)),
    cut: Math.max(0, text.length - longest),
  };
}

/** What a line takes in memory, in characters. */
export function sizeOf({ source, text }: Entry): number {
  return source.length + text.length;
}

/**
 * A text in which nothing is hidden: control characters, as those of terminals, and those that change the direction of
 * the text can be seen. Tabs and line ends stay.
 */
export function visible(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, (character) => {
      if (character === '\n' || character === '\t') return character;
      // As in JSON. Not every computer has the pictures of control characters.
      return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
    });
}

/** A line as text, for a file or the clipboard. The words are English, since files are for support. */
export function lineText({ at, level, source, text, cut, missing }: Entry): string {
  const gap = missing === 0 ? '' : `[${Number.isFinite(missing) ? missing : 'some'} missing before] `;
  const rest = cut === 0 ? '' : ` [${cut} more characters]`;
  const head = [new Date(at).toISOString(), level, source].filter(Boolean).join(' ');
  return `${head} ${gap}${text}${rest}`;
}
