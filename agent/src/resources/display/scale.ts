/** How many pixels of a screen make one CSS pixel. Pure. */

/** Up to this size, a CSS pixel is a pixel: pages are made for such screens. */
const FULL_HD = { long: 1920, short: 1200 };
/** A screen at least this high is a television, which is looked at from further away. Monitors are wide instead. */
const TELEVISION_MM = 450;
/** Pixels per inch that need no scale on a desk. */
const DESK_DPI = 110;
const MIN_CSS_PIXELS = 1280;
/** Fraction of a scale step by which the density may exceed a step before the next scale is used. */
const TOLERATED = 0.2;
const MAX_SCALE = 4;

/**
 * The scale for `display.scale: null`. Larger modes than Full HD are scaled: on a television to about 1920 CSS pixels, on
 * a monitor by its density. A whole number, since others are rendered larger and then scaled down.
 * @param mode `<width>x<height>…`; null when it is unknown
 * @param sizeMm of the picture; null when it is unknown, as of many televisions
 */
export function defaultScale(mode: string | null, sizeMm: { width: number; height: number } | null): number {
  const [, width = 0, height = 0] = /^(\d+)x(\d+)/.exec(mode ?? '')?.map(Number) ?? [];
  const [long, short] = [Math.max(width, height), Math.min(width, height)];
  if (long <= FULL_HD.long && short <= FULL_HD.short) return 1;
  const shortMm = sizeMm && Math.min(sizeMm.width, sizeMm.height);
  const isTelevision = !shortMm || shortMm >= TELEVISION_MM;
  const wanted = isTelevision
    ? Math.round(short / 1080)
    : Math.ceil(short / (shortMm / 25.4) / DESK_DPI - TOLERATED);
  return Math.max(1, Math.min(wanted, MAX_SCALE, Math.floor(long / MIN_CSS_PIXELS)));
}
