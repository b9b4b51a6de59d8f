/**
 * Which inputs go to the device next: one request at a time, the others wait in their order. There is always room for the
 * release of what is pressed. Pure.
 */
import { type Button, type InputEvent, MAX_TEXT } from './inputs.ts';

/** Events of a request (contract), and how many wait at most. */
export const MAX_EVENTS = 64;
/** Longest way of the wheel in an event, in pixels (contract). */
export const MAX_SCROLL = 10_000;
const BUTTONS: readonly Button[] = ['left', 'middle', 'right'];

export interface SenderState {
  /** What the next requests have. */
  readonly waiting: readonly InputEvent[];
  /** What the request on its way has; undefined if there is none. */
  readonly sending: readonly InputEvent[] | undefined;
  /** The presses of what is pressed after the requests that were answered. */
  readonly held: readonly InputEvent[];
  /** The request on its way only releases what one that has failed may have pressed. */
  readonly isClearing: boolean;
  /** Inputs were left out since the last time that none waited. */
  readonly isCrowded: boolean;
}

/**
 * `input`: all of the events are taken, or none but releases; `release`: everything; `sent` and `failed`: the request on
 * its way has ended; `still`: a button is held for seconds without an input, which the device must not take for the end.
 */
export type SenderEvent =
  | { readonly type: 'input'; readonly events: readonly InputEvent[] }
  | { readonly type: 'release' | 'sent' | 'failed' | 'still' };

export const IDLE: SenderState = {
  waiting: [],
  sending: undefined,
  held: [],
  isClearing: false,
  isCrowded: false,
};

/** The state after an event, and the events of the next request if one has to be made now. */
export function step(state: SenderState, event: SenderEvent): [SenderState, (readonly InputEvent[])?] {
  switch (event.type) {
    case 'input':
      return next(take(state, event.events));
    case 'release':
      return next(releasesOf(heldAtEnd(state)).reduce(append, state));
    case 'sent':
      return next(sent(state));
    case 'failed':
      return failed(state);
    case 'still':
      return still(state);
  }
}

/** Whether a button is pressed, or is about to be. */
export function holdsButton(state: SenderState): boolean {
  return heldAtEnd(state).some(({ type }) => type === 'button');
}

/** Makes a request if there is none. */
function next(state: SenderState): [SenderState, (readonly InputEvent[])?] {
  if (state.sending || state.waiting.length === 0) return [state];
  let characters = 0;
  const tooLong = state.waiting.findIndex(({ text = '' }) => {
    characters += text.length;
    return characters > MAX_TEXT;
  });
  const events = tooLong < 0 ? state.waiting : state.waiting.slice(0, tooLong);
  return [{ ...state, waiting: state.waiting.slice(events.length), sending: events }, events];
}

/** A part of a group could do something else than the whole, for example press at another place. */
function take(state: SenderState, events: readonly InputEvent[]): SenderState {
  let all: SenderState | undefined = state;
  for (const event of events) all = all && add(all, event);
  if (all) return all;
  const releases = events.filter((event) => event.pressed === false);
  const crowded: SenderState = { ...state, isCrowded: true };
  return releases.reduce<SenderState>((before, event) => add(before, event) ?? before, crowded);
}

/** Adds an event at the end, or to the last one if the result is the same. @returns undefined if there is no room */
function add(state: SenderState, event: InputEvent): SenderState | undefined {
  const held = heldAtEnd(state);
  const isHeld = held.some((one) => isSame(one, event));
  // Every press has kept a place for this.
  if (event.pressed === false) return isHeld ? append(state, event) : state;
  const merged = merge(state.waiting, event);
  if (merged) return { ...state, waiting: merged };
  const needed = event.pressed === true && !isHeld ? 2 : 1;
  if (state.waiting.length + held.length + needed > MAX_EVENTS) return undefined;
  return append(state, event.type === 'wheel' ? wheel(event) : event);
}

function append(state: SenderState, event: InputEvent): SenderState {
  return { ...state, waiting: [...state.waiting, event] };
}

/** What waits, with an event that needs no place of its own; undefined if it needs one. */
function merge(waiting: readonly InputEvent[], event: InputEvent): readonly InputEvent[] | undefined {
  const last = waiting.at(-1);
  const others = waiting.slice(0, -1);
  if (event.type === 'move') {
    if (last?.type === 'move') return [...others, event];
    // Where the wheel is turned, there the pointer is.
    const before = others.at(-1);
    const isThere = before?.type === 'move' && before.x === event.x && before.y === event.y;
    return last?.type === 'wheel' && isThere ? waiting : undefined;
  }
  if (last?.type !== event.type) return undefined;
  if (event.type === 'wheel') return [...others, wheel(last, event)];
  const text = (last.text ?? '') + (event.text ?? '');
  return event.type === 'text' && text.length <= MAX_TEXT ? [...others, { type: 'text', text }] : undefined;
}

function wheel(...turns: readonly InputEvent[]): InputEvent {
  const sum = (ways: readonly number[]) =>
    Math.max(
      -MAX_SCROLL,
      Math.min(
        MAX_SCROLL,
        ways.reduce((all, one) => all + one, 0),
      ),
    );
  return { type: 'wheel', dx: sum(turns.map(({ dx = 0 }) => dx)), dy: sum(turns.map(({ dy = 0 }) => dy)) };
}

function sent(state: SenderState): SenderState {
  const held = (state.sending ?? []).reduce(hold, state.held);
  const isCrowded = state.isCrowded && state.waiting.length > 0;
  return { ...state, held, sending: undefined, isClearing: false, isCrowded };
}

/**
 * What waits was meant for a screen that had got the rest, so it is dropped. What may be pressed is released once; if that
 * fails, too, the device does it by itself after 5 s.
 */
function failed({ held, sending = [], isClearing }: SenderState): [SenderState, (readonly InputEvent[])?] {
  const presses = sending.filter(({ pressed }) => pressed === true).reduce(hold, held);
  if (isClearing || presses.length === 0) return [IDLE];
  const releases = releasesOf(presses);
  return [{ ...IDLE, held: presses, sending: releases, isClearing: true }, releases];
}

/** The release of a button that is not pressed does nothing, but the device goes on holding the others. */
function still(state: SenderState): [SenderState, (readonly InputEvent[])?] {
  const buttons = state.held.flatMap(({ button }) => button ?? []);
  const free = BUTTONS.find((one) => !buttons.includes(one));
  if (state.sending || state.waiting.length > 0 || buttons.length === 0 || !free) return [state];
  const sending: InputEvent[] = [{ type: 'button', button: free, pressed: false }];
  return [{ ...state, sending }, sending];
}

/** What is pressed when all of this was done. */
function heldAtEnd({ held, sending = [], waiting }: SenderState): readonly InputEvent[] {
  return [...sending, ...waiting].reduce(hold, held);
}

function hold(held: readonly InputEvent[], event: InputEvent): readonly InputEvent[] {
  if (event.type !== 'button' && event.type !== 'key') return held;
  const others = held.filter((one) => !isSame(one, event));
  return event.pressed === true ? [...others, event] : others;
}

function isSame(one: InputEvent, other: InputEvent): boolean {
  return one.type === other.type && one.button === other.button && one.key === other.key;
}

/** The last pressed first. */
function releasesOf(presses: readonly InputEvent[]): InputEvent[] {
  return presses.map((press) => ({ ...press, pressed: false })).reverse();
}
