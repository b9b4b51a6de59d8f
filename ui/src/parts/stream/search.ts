/** Which lines are shown, and where the words that are searched are in them. Pure. */
import { type Entry, LEVELS, type Level } from './entry.ts';

/** What somebody wants to see. */
export interface Filter {
  /** The least important level. */
  readonly level: Level;
  /** Empty for every source. */
  readonly source: string;
  /** Words that the text or the source contains, in upper or lower case; empty for any text. */
  readonly query: string;
}

export const EVERYTHING: Filter = { level: 'debug', source: '', query: '' };

/** Longest words that are searched, in characters. */
export const LONGEST_QUERY = 200;
/** How many places are marked in one text. */
const MOST_MARKS = 200;
/** What is shown before the first place that was found, in characters. */
const LEAD = 24;

/** A part of a text. */
export interface Piece {
  /** Where it begins. */
  readonly at: number;
  readonly text: string;
  /** Whether it is what was searched. */
  readonly isMatch: boolean;
}

/** Finds words as they are; undefined for none. */
export function patternOf(query: string): RegExp | undefined {
  const words = query.slice(0, LONGEST_QUERY);
  return words === '' ? undefined : new RegExp(words.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'i');
}

/** Tells the lines that are shown from the others. */
export function matcher({ level, source, query }: Filter): (entry: Entry) => boolean {
  const least = LEVELS.indexOf(level);
  const pattern = patternOf(query);
  return (entry) =>
    (entry.level === undefined || LEVELS.indexOf(entry.level) >= least) &&
    (source === '' || entry.source === source) &&
    (!pattern || pattern.test(entry.text) || pattern.test(entry.source));
}

/** Cuts a text into what was searched and what is around it. */
export function piecesOf(text: string, pattern: RegExp | undefined): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  const found = pattern ? text.matchAll(new RegExp(pattern, 'gi')) : [];
  for (const { 0: match, index } of found) {
    if (pieces.length >= 2 * MOST_MARKS) break;
    if (index > end) pieces.push({ at: end, text: text.slice(end, index), isMatch: false });
    pieces.push({ at: index, text: match, isMatch: true });
    end = index + match.length;
  }
  if (end < text.length) pieces.push({ at: end, text: text.slice(end), isMatch: false });
  return pieces;
}

/**
 * A piece of a text for one line of a list: from its beginning, or from shortly before the first place that was found.
 * @param most its length in characters, without the marks for what is left out
 */
export function excerpt(text: string, pattern: RegExp | undefined, most: number): string {
  const at = pattern ? text.search(pattern) : -1;
  const start = at > 2 * LEAD ? at - LEAD : 0;
  const part = text.slice(start, start + most).toWellFormed();
  return `${start > 0 ? '…' : ''}${part}${start + most < text.length ? '…' : ''}`;
}
