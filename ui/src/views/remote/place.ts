/** Places on the screen, and where they are in a picture of it. Pure. */

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A place on the screen, as fractions of its width and height. */
export interface Place {
  readonly x: number;
  readonly y: number;
}

/** A rectangle in a box. */
export interface Frame extends Size {
  readonly left: number;
  readonly top: number;
}

/** A place under the pointer. */
export interface Spot {
  /** The nearest one if the pointer is beside the screen. */
  readonly place: Place;
  readonly isInside: boolean;
}

/** How much the shape of a picture may differ from that of the screen, since sizes are whole pixels. */
const ROUNDING = 0.02;
/** The on-screen keyboard takes two fifths of the height at most (browser/src/keyboard.c). */
const LOWEST_PART = 0.59;
/** Steps in which places are sent: finer than the pixels of any screen. */
const STEPS = 100_000;

/**
 * The size of the screen in pixels of its picture. It is that of the picture, unless the on-screen keyboard is open: then
 * the page, and the picture, have only the part above it.
 * @param resolution of the output, not turned: `1920x1080@60`; null without a screen
 * @param rotation of the output, in degrees
 */
export function screenSize(picture: Size, resolution: string | null, rotation: number): Size {
  const [, first, second] = /^(\d+)x(\d+)/.exec(resolution ?? '') ?? [];
  const [width, height] = [Number(first), Number(second)];
  if (!(width > 0 && height > 0)) return picture;
  const shape = rotation % 180 === 0 ? height / width : width / height;
  const whole = Math.round(picture.width * shape);
  const share = picture.height / whole;
  // Another shape is that of a picture from before the screen was turned.
  const hasKeyboard = share < 1 - ROUNDING && share > LOWEST_PART;
  return hasKeyboard ? { width: picture.width, height: whole } : picture;
}

/** The largest rectangle of a shape in the middle of a box. Everything is 0 if one of them has no size yet. */
export function fit(box: Size, shape: Size): Frame {
  const scale = Math.min(box.width / shape.width, box.height / shape.height);
  if (!(scale > 0 && Number.isFinite(scale))) return { left: 0, top: 0, width: 0, height: 0 };
  const [width, height] = [shape.width * scale, shape.height * scale];
  return { left: (box.width - width) / 2, top: (box.height - height) / 2, width, height };
}

/** The place on a screen that fills a box as far as its shape allows. @param at from the box's upper left corner */
export function spotAt(box: Size, screen: Size, at: { readonly x: number; readonly y: number }): Spot {
  const frame = fit(box, screen);
  const x = (at.x - frame.left) / frame.width;
  const y = (at.y - frame.top) / frame.height;
  return { place: { x: within(x), y: within(y) }, isInside: x >= 0 && x <= 1 && y >= 0 && y <= 1 };
}

function within(fraction: number): number {
  const steps = Math.round(fraction * STEPS);
  return Number.isNaN(steps) ? 0 : Math.max(0, Math.min(STEPS, steps)) / STEPS;
}
