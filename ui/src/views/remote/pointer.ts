/** What presses and moves on the picture are on the screen. Free of the browser. */
import type { Button, InputEvent } from './inputs.ts';
import type { Size, Spot } from './place.ts';

/** What a press with the first button or a finger does. */
export const PRESS_MODES = ['left', 'right', 'scroll'] as const;
export type PressMode = (typeof PRESS_MODES)[number];

/** A moment of a pointer event. */
export interface Moment {
  /** `pointerId` */
  readonly id: number;
  /** `buttons`: the sum of those that are pressed. */
  readonly buttons: number;
  readonly spot: Spot;
}

/** Values of `buttons`. */
const BUTTON_BITS: readonly (readonly [Button, number])[] = [
  ['left', 1],
  ['right', 2],
  ['middle', 4],
];
/** Pixels of a line and of a page, for wheels that count these: `deltaMode`. */
const WHEEL_UNITS = [1, 40, 600];

/** Follows one pointer at a time; a second finger does nothing. */
export class PointerInput {
  #id: number | undefined;
  #mode: PressMode = 'left';
  #pressed: readonly Button[] = [];
  #last: Spot['place'] = { x: 0, y: 0 };

  /** A press. @returns what it does: nothing beside the screen */
  begin({ id, buttons, spot }: Moment, mode: PressMode): InputEvent[] {
    if (this.#id !== undefined || !spot.isInside) return [];
    this.#id = id;
    this.#mode = mode;
    this.#last = spot.place;
    return [moveTo(spot), ...this.#press(buttons)];
  }

  /**
   * A move while something is pressed, also beside the screen, or a change of what is.
   * @param screen its size, in the unit of the wheel
   */
  move({ id, buttons, spot }: Moment, screen: Size): InputEvent[] {
    if (id !== this.#id) return [];
    const { x, y } = this.#last;
    this.#last = spot.place;
    if (this.#mode !== 'scroll') return [moveTo(spot), ...this.#press(buttons)];
    // What is under the finger goes with it.
    const [dx, dy] = [(x - spot.place.x) * screen.width, (y - spot.place.y) * screen.height];
    return dx === 0 && dy === 0 ? [] : [{ type: 'wheel', dx, dy }];
  }

  /** The pointer was released, or is lost. */
  end(id: number): InputEvent[] {
    if (id !== this.#id) return [];
    const releases = this.#press(0);
    this.#id = undefined;
    return releases;
  }

  #press(buttons: number): InputEvent[] {
    const wanted = this.#mode === 'scroll' ? [] : buttonsIn(buttons, this.#mode);
    const before = this.#pressed;
    this.#pressed = wanted;
    return [
      ...before.filter((one) => !wanted.includes(one)).map((button) => set(button, false)),
      ...wanted.filter((one) => !before.includes(one)).map((button) => set(button, true)),
    ];
  }
}

/** What a turn of the wheel does. */
export function inputsOfWheel(
  { deltaX, deltaY, deltaMode }: Pick<WheelEvent, 'deltaX' | 'deltaY' | 'deltaMode'>,
  spot: Spot,
): InputEvent[] {
  const unit = WHEEL_UNITS[deltaMode] ?? 1;
  return spot.isInside ? [moveTo(spot), { type: 'wheel', dx: deltaX * unit, dy: deltaY * unit }] : [];
}

function buttonsIn(sum: number, first: Button): Button[] {
  const pressed = BUTTON_BITS.filter(([, bit]) => (sum & bit) !== 0).map(([button]) =>
    button === 'left' ? first : button,
  );
  return [...new Set(pressed)];
}

function set(button: Button, pressed: boolean): InputEvent {
  return { type: 'button', button, pressed };
}

function moveTo({ place }: Spot): InputEvent {
  return { type: 'move', ...place };
}
