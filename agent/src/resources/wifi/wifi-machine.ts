/**
 * Decides what the radio does: the stored configuration, what a host has chosen until the next boot, and what happens on
 * the radio. Pure (base/machine.ts).
 */
import type { Transition } from '../../base/machine.ts';
import type { FailureCode, Link, RadioEvent, Setup } from './ports.ts';
import { type Choice, type Settings, setupOf } from './setup.ts';

/** Longest wait for an address of a joined network. */
export const ADDRESS_MS = 12_000;
/** `POST /wifi/connect` and `/wifi/ap` answer after this time at the latest; the limit of the API is 20 s. */
export const OUTCOME_MS = 18_000;
/** A chosen network that is lost for so long is given up for the configured ones. */
export const GIVE_UP_MS = 30_000;
const FIRST_RETRY_MS = 2000;
const LAST_RETRY_MS = 60_000;
/**
 * Searches without a network in range before a request has failed: one may have been on a few channels only, as the search
 * on 6 GHz that follows a change of the country.
 */
const SEARCHES = 2;
/** Refusals before a request has failed: one access point may be full, and another one of the same network not. */
const REFUSALS = 2;

/** After joining another network, when the addresses of the one before are gone: networkd removes them. */
const SETTLE_MS = 1500;

/** A timer runs once for each name; arming it again replaces it. */
export type TimerName = 'address' | 'settle' | 'outcome' | 'give_up' | 'retry';

export interface WifiState {
  readonly settings: Settings;
  /** Undefined: as configured. */
  readonly choice: Choice | undefined;
  readonly service: 'stopped' | 'starting' | 'ready';
  /** What the radio was last told; undefined after a start, and until a failed attempt is repeated. */
  readonly given: Setup | undefined;
  readonly link: Link;
  /** Whether the interface has an address that others can reach. */
  readonly hasAddress: boolean;
  /** The interface may still have the addresses of the network before. */
  readonly isSettling: boolean;
  /** The network that was joined last. */
  readonly lastSsid: string | undefined;
  readonly stations: number;
  /** Why there is no connection; undefined with one, and before any attempt has ended. */
  readonly failure: FailureCode | undefined;
  /** A request that waits for its outcome. */
  readonly request: Request | undefined;
  /** Attempts to set up the radio that have failed in a row. */
  readonly failedSetups: number;
}

interface Request {
  readonly id: number;
  /** Searches that have found nothing, and refusals of an access point. */
  readonly searches: number;
  readonly refusals: number;
}

export type WifiEvent =
  | { type: 'settings'; settings: Settings }
  /** Replaces the choice. With an `id` it is a request, which is answered by one effect. */
  | { type: 'choose'; id?: number; choice: Choice | undefined }
  /** The caller of a request waits no more. */
  | { type: 'abandon'; id: number }
  | { type: 'stop_failed' }
  /** The radio has refused a setup. */
  | { type: 'setup_failed'; code: FailureCode }
  | RadioEvent
  | { type: 'address'; has: boolean }
  | { type: 'elapsed'; timer: TimerName };

export type WifiEffect =
  | { do: 'start' | 'stop' }
  /** Is to be followed by an event `address`. */
  | { do: 'read_address' }
  | { do: 'set_up'; setup: Setup }
  | { do: 'answer'; id: number; failure: FailureCode | 'replaced' | 'off' | undefined }
  | { do: 'arm'; timer: TimerName; ms: number }
  | { do: 'disarm'; timer: TimerName };

type Step = Transition<WifiState, WifiEffect>;

const IDLE: Link = { phase: 'idle' };
/** What is known of a radio that does nothing. */
const NOTHING = { given: undefined, link: IDLE, stations: 0, failure: undefined, isSettling: false };

export function initialState(settings: Settings): WifiState {
  return {
    ...{ settings, choice: undefined, service: 'stopped', hasAddress: false, request: undefined },
    lastSsid: undefined,
    ...{ ...NOTHING, failedSetups: 0 },
  };
}

/** Whether the radio does what it was told: an address is part of a connection. */
export function isEstablished({ link, hasAddress, service, given }: WifiState): boolean {
  if (service !== 'ready') return false;
  if (link.phase === 'serving') return given?.mode === 'ap';
  // Right after a choice the link may still be that of the network before.
  const isOther = given?.mode === 'station' && given.only !== undefined && given.only !== ssidOf(link);
  return link.phase === 'joined' && hasAddress && !isOther;
}

function ssidOf(link: Link): string | undefined {
  return link.phase === 'joined' ? link.ssid : undefined;
}

/** The reason that a host sees. */
export function failureOf(state: WifiState): FailureCode | undefined {
  if (state.service === 'stopped') return undefined;
  if (state.link.phase === 'blocked') return 'rfkill';
  return isEstablished(state) ? undefined : state.failure;
}

export function wifiMachine(state: WifiState, event: WifiEvent): Step {
  const effects: WifiEffect[] = [];
  const handled = handle(state, event, effects);
  if (handled === state) return { state, effects: [] };
  const next = reconcile(outcome(handled, effects), effects);
  return { state: next, effects };
}

function handle(state: WifiState, event: WifiEvent, effects: WifiEffect[]): WifiState {
  switch (event.type) {
    case 'settings': {
      const { settings } = event;
      const isSame = JSON.stringify(settings) === JSON.stringify(state.settings);
      const failure = isSame ? state.failure : undefined;
      const choice = choiceAfter(state, settings);
      const next = { ...state, settings, choice, failure };
      return state.choice && !choice && settings.enabled ? replaced(next, effects) : next;
    }
    case 'choose': {
      const { id, choice } = event;
      const next = { ...replaced(state, effects), choice, given: undefined, failure: undefined };
      effects.push({ do: 'disarm', timer: 'give_up' });
      if (id === undefined) return next;
      effects.push({ do: 'arm', timer: 'outcome', ms: OUTCOME_MS });
      return { ...next, request: { id, searches: 0, refusals: 0 } };
    }
    case 'abandon':
      return state.request?.id === event.id ? { ...replaced(state, effects), choice: undefined } : state;
    case 'ready':
      return { ...state, service: state.service === 'stopped' ? 'stopped' : 'ready', ...NOTHING };
    case 'lost':
      if (state.service !== 'ready') return state;
      giveUpLater(state, effects);
      return { ...state, service: 'starting', ...NOTHING };
    case 'start_failed':
      if (state.service !== 'starting') return state;
      return retryLater({ ...state, failure: 'radio_failed' }, effects);
    case 'stop_failed':
      return state.service === 'stopped' ? retryLater({ ...state }, effects) : state;
    case 'setup_failed':
      return retryLater({ ...state, failure: event.code }, effects);
    case 'link':
      return linkChanged(state, event.link, effects);
    case 'failed':
      if (state.service !== 'ready') return state;
      return attemptFailed(state, event.code, effects);
    case 'searched':
      return searched(state, event.inRange);
    case 'stations':
      return event.count === state.stations ? state : { ...state, stations: event.count };
    case 'address':
      return addressChanged(state, event.has, effects);
    case 'elapsed':
      return elapsed(state, event.timer, effects);
  }
}

/** Answers a request whose choice has been replaced. */
function replaced(state: WifiState, effects: WifiEffect[]): WifiState {
  if (!state.request) return state;
  const { id } = state.request;
  effects.push({ do: 'answer', id, failure: 'replaced' }, { do: 'disarm', timer: 'outcome' });
  return { ...state, request: undefined };
}

function attemptFailed(state: WifiState, code: FailureCode, effects: WifiEffect[]): WifiState {
  // An access point does not try again by itself.
  if (state.given?.mode === 'ap') return retryLater({ ...state, failure: code }, effects);
  const { request } = state;
  const refusals = (request?.refusals ?? 0) + (code === 'refused' ? 1 : 0);
  return { ...state, failure: code, request: request && { ...request, refusals } };
}

/** A choice ends when the configuration that it replaced is changed. */
function choiceAfter({ choice, settings: before }: WifiState, now: Settings): Choice | undefined {
  if (!choice || !now.enabled || now.enabled !== before.enabled || now.mode !== before.mode) return undefined;
  if (choice.mode === 'ap') return choice;
  const { only } = choice;
  return only === undefined || now.networks.some(({ ssid }) => ssid === only) ? choice : undefined;
}

function retryLater(state: WifiState, effects: WifiEffect[]): WifiState {
  const ms = Math.min(FIRST_RETRY_MS * 2 ** state.failedSetups, LAST_RETRY_MS);
  effects.push({ do: 'arm', timer: 'retry', ms });
  return { ...state, failedSetups: Math.min(state.failedSetups + 1, 10) };
}

function linkChanged(state: WifiState, link: Link, effects: WifiEffect[]): WifiState {
  if (state.service !== 'ready' || JSON.stringify(link) === JSON.stringify(state.link)) return state;
  const wasUp = isUp(state.link);
  const next = { ...state, link, stations: link.phase === 'serving' ? state.stations : 0 };
  if (link.phase === 'joined') {
    const isOther = link.ssid !== state.lastSsid;
    const hasAddress = state.hasAddress && !isOther;
    if (isOther) effects.push({ do: 'arm', timer: 'settle', ms: SETTLE_MS });
    const isSettling = state.isSettling || isOther;
    if (!hasAddress && (isOther || !wasUp)) effects.push({ do: 'arm', timer: 'address', ms: ADDRESS_MS });
    effects.push({ do: 'disarm', timer: 'give_up' });
    const failure = wasUp && !isOther && state.failure === 'no_address' ? state.failure : undefined;
    return { ...next, hasAddress, isSettling, failure, lastSsid: link.ssid, failedSetups: 0 };
  }
  if (link.phase === 'serving') return { ...next, failure: undefined, failedSetups: 0 };
  if (wasUp) {
    effects.push({ do: 'disarm', timer: 'address' });
    giveUpLater(state, effects);
  }
  return next;
}

/** A request that waits ends by itself. */
function giveUpLater({ choice, request }: WifiState, effects: WifiEffect[]): void {
  if (isOneNetwork(choice) && !request) effects.push({ do: 'arm', timer: 'give_up', ms: GIVE_UP_MS });
}

/** Unlike the choice that no access point is active, which lasts however long no network is in range. */
function isOneNetwork(choice: Choice | undefined): boolean {
  return choice?.mode === 'station' && choice.only !== undefined;
}

function isUp({ phase }: Link): boolean {
  return phase === 'joined' || phase === 'serving';
}

function searched(state: WifiState, inRange: boolean): WifiState {
  if (state.service !== 'ready' || state.given?.mode !== 'station' || isUp(state.link)) return state;
  // Why a network in range was not joined stays the reason.
  if (inRange) return state.failure === 'not_found' ? { ...state, failure: undefined } : state;
  const { request } = state;
  const counted = request && { ...request, searches: request.searches + 1 };
  return { ...state, request: counted, failure: 'not_found' };
}

function addressChanged(state: WifiState, has: boolean, effects: WifiEffect[]): WifiState {
  if (has === state.hasAddress || (has && state.isSettling)) return state;
  const isJoined = state.link.phase === 'joined';
  if (has) effects.push({ do: 'disarm', timer: 'address' });
  else if (isJoined) effects.push({ do: 'arm', timer: 'address', ms: ADDRESS_MS });
  const failure = has && state.failure === 'no_address' ? undefined : state.failure;
  return { ...state, hasAddress: has, failure };
}

function elapsed(state: WifiState, timer: TimerName, effects: WifiEffect[]): WifiState {
  const isJoined = state.link.phase === 'joined';
  switch (timer) {
    case 'settle':
      effects.push({ do: 'read_address' });
      return { ...state, isSettling: false };
    case 'address':
      return isJoined && !state.hasAddress ? { ...state, failure: 'no_address' } : state;
    case 'give_up':
      return isOneNetwork(state.choice) && !isUp(state.link) ? { ...state, choice: undefined } : state;
    case 'retry':
      if (state.service === 'stopped') {
        if (setupOf(state.settings, state.choice)) return state;
        effects.push({ do: 'stop' });
        return { ...state };
      }
      if (isUp(state.link)) return state;
      return { ...state, given: undefined, service: state.service === 'starting' ? 'stopped' : 'ready' };
    case 'outcome': {
      const { request } = state;
      if (!request) return state;
      const over = { ...request, searches: SEARCHES, refusals: REFUSALS };
      return { ...state, failure: lateFailure(state), request: over };
    }
  }
}

/** Why a request has not succeeded when its time is over. */
function lateFailure(state: WifiState): FailureCode {
  if (state.failure) return state.failure;
  if (state.link.phase === 'joined') return 'no_address';
  if (state.link.phase === 'blocked') return 'rfkill';
  if (state.given?.mode !== 'station') return 'radio_failed';
  return state.link.phase === 'joining' ? 'refused' : 'not_found';
}

/** Answers the request that waits, if its outcome is known. */
function outcome(state: WifiState, effects: WifiEffect[]): WifiState {
  const { request, settings, choice } = state;
  if (!request) return state;
  const target = setupOf(settings, choice);
  const isGiven = sameSetup(target, state.given);
  const failure = target ? failureOf(state) : 'off';
  const isOver = request.searches >= SEARCHES || (failure === 'refused' && request.refusals >= REFUSALS);
  const isFinal = failure !== 'not_found' && failure !== 'refused';
  const isKnown = !target || (failure && (isOver || (isGiven && isFinal)));
  if (!isKnown && !(isGiven && isEstablished(state))) return state;
  effects.push({ do: 'answer', id: request.id, failure }, { do: 'disarm', timer: 'outcome' });
  // What could not be established is not tried for ever.
  return { ...state, request: undefined, choice: failure ? undefined : choice };
}

/** Brings service and radio to what is wanted. */
function reconcile(state: WifiState, effects: WifiEffect[]): WifiState {
  const target = setupOf(state.settings, state.choice);
  if (!target) {
    if (state.service === 'stopped') return state;
    effects.push({ do: 'stop' }, ...disarmAll());
    return { ...state, service: 'stopped', ...NOTHING, failedSetups: 0 };
  }
  if (state.service === 'stopped') {
    effects.push({ do: 'start' });
    return { ...state, service: 'starting' };
  }
  if (state.service !== 'ready' || sameSetup(target, state.given)) return state;
  effects.push({ do: 'disarm', timer: 'retry' }, { do: 'set_up', setup: target });
  const failedSetups = state.given === undefined ? state.failedSetups : 0;
  // Why a request has failed stays to be seen while the configured networks are searched; what happened before a request
  // is not its failure. The radio reports its link again after every setup, also that of a network which stayed joined.
  const failure = state.request ? undefined : state.failure;
  return { ...state, given: target, link: IDLE, stations: 0, failure, failedSetups };
}

function sameSetup(one: Setup | undefined, other: Setup | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function disarmAll(): WifiEffect[] {
  return (['address', 'settle', 'give_up', 'retry'] as const).map((timer) => ({ do: 'disarm', timer }));
}
