/** Which rows of a long list are drawn. Pure. */

/** Rows above and below those that can be seen, so that scrolling shows no empty place. */
const MARGIN = 6;

export interface ListPlace {
  /** How many rows there are. */
  readonly count: number;
  /** How far the list is scrolled, in pixels. */
  readonly top: number;
  /** What can be seen of the list, in pixels. */
  readonly height: number;
  /** Of each row, in pixels. */
  readonly rowHeight: number;
  /** Whether the end of the list is shown, wherever it is scrolled to now. */
  readonly isAtEnd: boolean;
}

/** The first row that is drawn, and the one after the last. */
export function drawnRows({ count, top, height, rowHeight, isAtEnd }: ListPlace): {
  from: number;
  to: number;
} {
  const most = Math.ceil(height / rowHeight) + 2 * MARGIN;
  const last = Math.max(0, count - most);
  const from = isAtEnd ? last : Math.min(last, Math.max(0, Math.floor(top / rowHeight) - MARGIN));
  return { from, to: Math.min(count, from + most) };
}
