/** When the virtual pointer and keyboard are there, and when they release what they hold. */
import type { Machine } from '../../base/machine.ts';
import { type Hand, NEW_HAND, releaseLines, stepsOf } from './injection.ts';
import type { InjectedEvent } from './schema.ts';

/** What is pressed is released so long after the last request, in ms. */
export const HOLD_MS = 5000;
/**
 * The devices are removed so long after the last request, in ms. Not at once: cage keeps a little memory for each
 * keyboard that it had.
 */
export const IDLE_MS = 30_000;

export interface HandState {
  /** The devices were added, and not removed. */
  readonly isRunning: boolean;
  readonly hand: Hand;
}

/**
 * `asked`: a request, whose events fit all rules; `waited`: the time of the last `wait` is over; `lost`: the devices are
 * gone, or it is not known what they hold; `off`: hosts may not use them any more.
 */
export type HandEvent =
  | { type: 'asked'; events: readonly InjectedEvent[] }
  | { type: 'waited' }
  | { type: 'lost' }
  | { type: 'off' };

/**
 * `settle`: the page gets the time to handle so many events, and before them a frame if pointer moves wait for one; `wait` replaces the one before, and `stop` ends it. A failed
 * `start` or `send` is followed by `lost`.
 */
export type HandEffect =
  | { do: 'start' }
  | { do: 'send'; lines: readonly string[] }
  | { do: 'settle'; events: number; needsFrame: boolean }
  | { do: 'wait'; ms: number }
  | { do: 'stop' };

export const REMOVED: HandState = { isRunning: false, hand: NEW_HAND };

export const handMachine: Machine<HandState, HandEvent, HandEffect> = (state, event) => {
  switch (event.type) {
    case 'asked':
      return asked(state, event.events);
    case 'waited':
      return state.hand.pressed.length > 0 ? quiet(state) : { state: REMOVED, effects: [{ do: 'stop' }] };
    case 'lost':
      return { state: REMOVED, effects: [{ do: 'stop' }] };
    case 'off':
      return off(state);
  }
};

function asked(state: HandState, events: readonly InjectedEvent[]): ReturnType<typeof handMachine> {
  const { hand, steps } = stepsOf(state.hand, events);
  const ms = hand.pressed.length > 0 ? HOLD_MS : IDLE_MS;
  // The browser asks for new devices when it hears of them, and gets no events before.
  const start: HandEffect[] = state.isRunning
    ? []
    : [{ do: 'start' }, { do: 'settle', events: 1, needsFrame: false }];
  const sent = steps.flatMap(({ lines, events: count, needsFrame }): HandEffect[] => [
    { do: 'send', lines },
    { do: 'settle', events: count, needsFrame },
  ]);
  return {
    state: { isRunning: true, hand },
    effects: [...start, ...sent, { do: 'wait', ms }],
  };
}

function quiet(state: HandState): ReturnType<typeof handMachine> {
  const { hand, lines } = releaseLines(state.hand);
  return {
    state: { ...state, hand },
    effects: [
      { do: 'send', lines },
      { do: 'wait', ms: IDLE_MS - HOLD_MS },
    ],
  };
}

function off(state: HandState): ReturnType<typeof handMachine> {
  const { lines } = releaseLines(state.hand);
  const release: HandEffect[] = lines.length > 0 ? [{ do: 'send', lines }] : [];
  return { state: REMOVED, effects: [...release, { do: 'stop' }] };
}
