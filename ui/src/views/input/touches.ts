/** What a touch screen reports, as points to draw. Pure. */
import type { Payloads } from '../../../../client/contract.ts';

type TouchEvent = Payloads['input_raw'];

export interface Point {
  /** Of the device and the finger. */
  readonly finger: string;
  readonly device: string;
  /** Which finger, from 0 on. */
  readonly slot: number;
  /** 0 to 1, from the left. */
  readonly x: number;
  /** 0 to 1, from the top. */
  readonly y: number;
}

export interface Touched {
  /** Fingers that are on the screen. */
  readonly fingers: readonly Point[];
  /** Where fingers were, the oldest first. */
  readonly trail: readonly Point[];
  /** Of the last event; undefined before the first one. */
  readonly last: Point | undefined;
  /** How often a finger has come down. */
  readonly presses: number;
}

export const NOT_TOUCHED: Touched = { fingers: [], trail: [], last: undefined, presses: 0 };

/** How many points are drawn, and fingers: 16 devices with 10 each are more than anybody has. */
const MOST_POINTS = 150;
const MOST_FINGERS = 40;

export function withTouch(before: Touched, { device, slot, x, y, pressed }: TouchEvent): Touched {
  const last = { finger: `${device} ${slot}`, device, slot, x, y };
  const others = before.fingers.filter(({ finger }) => finger !== last.finger);
  const isNew = others.length === before.fingers.length;
  return {
    fingers: pressed ? [...others, last].slice(-MOST_FINGERS) : others,
    trail: pressed ? [...before.trail, last].slice(-MOST_POINTS) : before.trail,
    last,
    presses: before.presses + (pressed && isNew ? 1 : 0),
  };
}

/** Releases of fingers may have been missed. */
export function withoutFingers(before: Touched): Touched {
  return { ...before, fingers: [] };
}

/**
 * Height of the page by its width; 9/16 while that is not known.
 * @param resolution `1920x1080@60`, before rotation
 * @param rotation of the screen, in degrees
 */
export function heightByWidth(resolution: string | null | undefined, rotation = 0): number {
  const [, width = '16', height = '9'] = /^(\d+)x(\d+)@/.exec(resolution ?? '') ?? [];
  const share = Number(height) / Number(width);
  return rotation % 180 === 0 ? share : 1 / share;
}
