/** How often the view needs a picture: quickly for some seconds after each input, since then the screen changes. */
import type { Pace } from '../../parts/use-picture.ts';

/** Pauses between two pictures, in ms. One costs the device a tenth of a second of a processor. */
export const QUICK_MS = 200;
export const CALM_MS = 1500;
/** How long an input makes pictures quick, in ms. */
export const HURRY_MS = 4000;

export class InputPace implements Pace {
  readonly #now: () => number;
  readonly #handlers = new Set<() => void>();
  #quickUntil = Number.NEGATIVE_INFINITY;

  /** @param now the time in ms */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  readonly pauseMs = (): number => (this.#now() < this.#quickUntil ? QUICK_MS : CALM_MS);

  readonly onShorter = (handler: () => void): (() => void) => {
    this.#handlers.add(handler);
    return () => this.#handlers.delete(handler);
  };

  /** The device has got an input. */
  readonly hurry = (): void => {
    const wasCalm = this.pauseMs() === CALM_MS;
    this.#quickUntil = this.#now() + HURRY_MS;
    // A pause that is short already is not cut, or pictures would follow each other without one.
    if (wasCalm) for (const handler of [...this.#handlers]) handler();
  };
}
