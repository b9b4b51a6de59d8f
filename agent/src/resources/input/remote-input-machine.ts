/** When the virtual pointer and keyboard are there, and when they release what they hold. */
import type { Machine } from '../../base/machine.ts';
import { NEW_DEVICES, releaseLines, stepsOf, type VirtualDevices } from './injection.ts';
import type { InjectedEvent } from './schema.ts';

/** What is pressed is released so long after the last request, in ms. */
export const HOLD_MS = 5000;
/**
 * The devices are removed so long after the last request, in ms. Not at once: cage keeps a little memory for each
 * keyboard that it had.
 */
export const IDLE_MS = 30_000;

export interface RemoteInputState {
  /** The devices were added, and not removed. */
  readonly isRunning: boolean;
  readonly devices: VirtualDevices;
}

/**
 * `asked`: a request, whose events fit all rules; `waited`: the time of the last `wait` is over; `lost`: the devices are
 * gone, or it is not known what they hold; `off`: hosts may not use them any more.
 */
export type RemoteInputEvent =
  | { type: 'asked'; events: readonly InjectedEvent[] }
  | { type: 'waited' }
  | { type: 'lost' }
  | { type: 'off' };

/**
 * `settle`: the page gets the time to handle so many events, and before them a frame if pointer moves wait for one; `wait`
 * replaces the one before, and `stop` ends it. A failed
 * `start` or `send` is followed by `lost`.
 */
export type RemoteInputEffect =
  | { do: 'start' }
  | { do: 'send'; lines: readonly string[] }
  | { do: 'settle'; events: number; needsFrame: boolean }
  | { do: 'wait'; ms: number }
  | { do: 'stop' };

export const REMOVED: RemoteInputState = { isRunning: false, devices: NEW_DEVICES };

export const remoteInputMachine: Machine<RemoteInputState, RemoteInputEvent, RemoteInputEffect> = (
  state,
  event,
) => {
  switch (event.type) {
    case 'asked':
      return asked(state, event.events);
    case 'waited':
      return state.devices.pressed.length > 0 ? quiet(state) : { state: REMOVED, effects: [{ do: 'stop' }] };
    case 'lost':
      return { state: REMOVED, effects: [{ do: 'stop' }] };
    case 'off':
      return off(state);
  }
};

function asked(
  state: RemoteInputState,
  events: readonly InjectedEvent[],
): ReturnType<typeof remoteInputMachine> {
  const { devices, steps } = stepsOf(state.devices, events);
  const ms = devices.pressed.length > 0 ? HOLD_MS : IDLE_MS;
  // The browser asks for new devices when it hears of them; the compositor sends it nothing of theirs before.
  const start: RemoteInputEffect[] = state.isRunning
    ? []
    : [{ do: 'start' }, { do: 'settle', events: 1, needsFrame: false }];
  const sent = steps.flatMap(({ lines, events: count, needsFrame }): RemoteInputEffect[] => [
    { do: 'send', lines },
    { do: 'settle', events: count, needsFrame },
  ]);
  return {
    state: { isRunning: true, devices },
    effects: [...start, ...sent, { do: 'wait', ms }],
  };
}

function quiet(state: RemoteInputState): ReturnType<typeof remoteInputMachine> {
  const { devices, lines } = releaseLines(state.devices);
  return {
    state: { ...state, devices },
    effects: [
      { do: 'send', lines },
      { do: 'wait', ms: IDLE_MS - HOLD_MS },
    ],
  };
}

function off(state: RemoteInputState): ReturnType<typeof remoteInputMachine> {
  const { lines } = releaseLines(state.devices);
  const release: RemoteInputEffect[] = lines.length > 0 ? [{ do: 'send', lines }] : [];
  return { state: REMOVED, effects: [...release, { do: 'stop' }] };
}
