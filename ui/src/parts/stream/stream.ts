/** Lines that arrive, as many as memory allows, and those of them that are shown. */
import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { type Entry, entryOf, type Line, sizeOf } from './entry.ts';
import { Ring } from './ring.ts';
import { EVERYTHING, type Filter, matcher, patternOf } from './search.ts';

/** How many lines are kept. */
export const MOST_LINES = 5000;
/** How long they may be together, in characters. */
const MOST_CHARACTERS = 4 * 2 ** 20;
const LONGEST_TEXT = 16 * 2 ** 10;
/** How many sources can be chosen. */
const MOST_SOURCES = 100;

/** Why nothing moves: the user has asked for it, or is reading further up. */
export type PausedBy = 'user' | 'scroll';

/** What is shown. */
export interface StreamState {
  /** The lines that match, the oldest first. */
  readonly rows: readonly Entry[];
  /** How many lines there are, whether or not they match. */
  readonly kept: number;
  /** Older lines that had to make room. */
  readonly removed: number;
  /** Lines that were announced as left out. */
  readonly missing: number;
  /** Undefined while new lines appear. */
  readonly pausedBy: PausedBy | undefined;
  /** Lines that have arrived since the pause began. */
  readonly waiting: number;
  /** Every source that was seen, in the order of the alphabet. */
  readonly sources: readonly string[];
  readonly filter: Filter;
  readonly pattern: RegExp | undefined;
}

export interface StreamOptions {
  /** Longest text that is kept of a line, in characters. */
  longest?: number;
  most?: number;
  /** Calls a function before the browser draws next; for tests. */
  nextFrame?: (run: () => void) => void;
}

/**
 * The newest lines. Taking one is cheap; what is shown changes at most once for each picture that the browser draws, so
 * that any number of lines leaves it time for the user.
 */
export class Stream {
  readonly #longest: number;
  readonly #nextFrame: (run: () => void) => void;
  readonly #ring: Ring<Entry>;
  #filter = EVERYTHING;
  #matches = matcher(EVERYTHING);
  #rows: readonly Entry[] = [];
  /** Number of the next line that has to be compared with the filter. */
  #checked = 0;
  /** Number of the first line since all were removed by the user. */
  #cleared = 0;
  #missing = 0;
  /** All lines at the beginning of the pause. */
  #frozen: { readonly by: PausedBy; readonly entries: readonly Entry[]; readonly next: number } | undefined;
  readonly #seen = new Set<string>();
  #sources: readonly string[] = [];
  #isInterrupted = false;
  #isScheduled = false;
  readonly #state: Signal<StreamState>;

  constructor({ longest = LONGEST_TEXT, most = MOST_LINES, nextFrame = onNextFrame }: StreamOptions = {}) {
    this.#longest = longest;
    this.#nextFrame = nextFrame;
    this.#ring = new Ring({ most, mostSize: MOST_CHARACTERS, sizeOf });
    this.#state = signal(this.#now());
  }

  get state(): ReadonlySignal<StreamState> {
    return this.#state;
  }

  add(line: Line): void {
    const missing = this.#isInterrupted ? Number.POSITIVE_INFINITY : line.missing;
    this.#isInterrupted = false;
    const entry = entryOf(this.#ring.next, { ...line, ...(missing && { missing }) }, this.#longest);
    this.#ring.push(entry);
    if (Number.isFinite(entry.missing)) this.#missing += entry.missing;
    if (this.#seen.size < MOST_SOURCES) this.#seen.add(entry.source);
    this.#schedule();
  }

  /** Lines may be lost from here on: the next one says so. */
  interrupted(): void {
    this.#isInterrupted = this.#ring.next > this.#ring.first;
  }

  /** Shows other lines, also while it is paused. */
  choose(filter: Partial<Filter>): void {
    this.#filter = { ...this.#filter, ...filter };
    this.#matches = matcher(this.#filter);
    this.#checkAll();
    this.#publish();
  }

  /** What is shown stays as it is. A pause by the user is not ended by scrolling. */
  pause(by: PausedBy): void {
    if (this.#frozen) this.#frozen = { ...this.#frozen, by: this.#frozen.by === 'user' ? 'user' : by };
    else {
      this.#follow();
      this.#frozen = { by, entries: this.#ring.values(), next: this.#ring.next };
    }
    this.#publish();
  }

  resume(): void {
    this.#frozen = undefined;
    this.#checkAll();
    this.#publish();
  }

  /** Removes all lines. */
  clear(): void {
    this.#ring.clear();
    this.#cleared = this.#ring.next;
    this.#missing = 0;
    this.#isInterrupted = false;
    this.#seen.clear();
    this.#sources = [];
    if (this.#frozen) this.#frozen = { ...this.#frozen, entries: [], next: this.#ring.next };
    this.#checkAll();
    this.#publish();
  }

  /** Without pictures, as in a tab in the background, nothing is shown, and the ring stays bounded. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#nextFrame(() => {
      this.#isScheduled = false;
      this.#publish();
    });
  }

  #publish(): void {
    if (!this.#frozen) this.#follow();
    this.#state.value = this.#now();
  }

  /** Brings the shown lines up to date. */
  #follow(): void {
    const { first, next } = this.#ring;
    const isKept = (this.#rows[0]?.id ?? first) >= first;
    const kept = isKept ? this.#rows : this.#rows.filter(({ id }) => id >= first);
    const fresh = this.#ring.values(this.#checked).filter(this.#matches);
    this.#checked = next;
    if (kept !== this.#rows || fresh.length > 0) this.#rows = kept.concat(fresh);
  }

  #checkAll(): void {
    const entries = this.#frozen?.entries ?? this.#ring.values();
    this.#rows = entries.filter(this.#matches);
    this.#checked = this.#ring.next;
  }

  #now(): StreamState {
    if (this.#sources.length !== this.#seen.size) this.#sources = [...this.#seen].sort();
    const { first, next } = this.#ring;
    return {
      rows: this.#rows,
      kept: this.#frozen ? this.#frozen.entries.length : next - first,
      removed: Math.max(0, first - this.#cleared),
      missing: this.#missing,
      pausedBy: this.#frozen?.by,
      waiting: this.#frozen ? next - this.#frozen.next : 0,
      sources: this.#sources,
      filter: this.#filter,
      pattern: patternOf(this.#filter.query),
    };
  }
}

function onNextFrame(run: () => void): void {
  requestAnimationFrame(run);
}
