/**
 * The rules that bring daemon and adapter to the configured state, as a pure function. `Bluetooth` carries out the
 * effects. One step at a time: after every event the first thing that differs from what is wanted is the next step, so
 * that the order in which daemon, adapter and configuration change does not matter.
 */
import type { Machine } from '../../base/machine.ts';
import type { AdapterSetting, AdapterState, DaemonState } from './ports.ts';

/** The configuration, with the name that follows from it. */
export interface Settings {
  enabled: boolean;
  alias: string;
  discoverable: boolean;
}

export type Step =
  | { step: 'start_daemon' }
  | { step: 'stop_daemon' }
  | { step: 'register_agent' }
  | { step: 'set'; adapter: string; setting: AdapterSetting }
  | { step: 'discover'; adapter: string; active: boolean };

/** What the timer is for; `calm`: whether the configured state lasts. */
type Waiting = 'daemon' | 'radio' | 'retry' | 'calm';

export interface AdapterMachineState {
  settings: Settings;
  /** `POST /bluetooth/power`; on again when Bluetooth is enabled. */
  power: boolean;
  /** `POST /bluetooth/scan`. */
  scanning: boolean;
  /** Id of the device that is being paired. */
  pairing: string | undefined;
  /** Whether the kernel has an adapter; undefined if that is to be read. */
  hasRadio: boolean | undefined;
  /** How often the kernel had an adapter which the daemon did not have. */
  missed: number;
  /** The service was started by this agent. */
  isStarted: boolean;
  isUp: boolean;
  isRegistered: boolean;
  adapter: AdapterState | undefined;
  othersPowered: readonly string[];
  /** The daemon discovers for us; undefined if it may: it did not answer. */
  session: boolean | undefined;
  /** The adapter failed to switch off before the daemon is stopped, which switches it off, too. */
  leftOn: boolean;
  running: Step | undefined;
  waiting: Waiting | undefined;
  /** Why the configured state is not reached, as a sentence; undefined if there is no problem. */
  failure: string | undefined;
  /** Failures since the configured state was reached last. */
  failures: number;
  /** Steps since the configured state lasted. */
  steps: number;
}

export type AdapterMachineEvent =
  | { event: 'configured'; settings: Settings }
  | { event: 'daemon'; state: DaemonState }
  | { event: 'looked'; hasRadio: boolean }
  | { event: 'power'; powered: boolean }
  | { event: 'scan'; active: boolean }
  /** @param device undefined if it has ended */
  | { event: 'pairing'; device: string | undefined }
  | { event: 'agent_released' }
  /** The running step has ended. @param error a sentence; undefined if it has succeeded */
  | { event: 'done'; error?: string }
  | { event: 'timer' };

export type AdapterMachineEffect =
  | { do: 'run'; step: Step }
  /** Read whether the kernel has an adapter. */
  | { do: 'look' }
  /** There is one timer; a new one replaces it. */
  | { do: 'set_timer'; ms: number }
  | { do: 'cancel_timer' }
  /** Whoever waits for the configured state learns that it is not reached now. */
  | { do: 'report'; message: string };

/** systemd restarts a daemon that died in less time. */
const DAEMON_MS = 10_000;
/** How often an adapter is looked for. */
const LOOK_MS = 2000;
const CALM_MS = 5000;
const WAIT_MS = { daemon: DAEMON_MS, radio: LOOK_MS, calm: CALM_MS };
/** So many times the daemon may not have an adapter of the kernel: firmware is loaded first. */
const MAX_MISSED = 5;
const FIRST_RETRY_MS = 1000;
const LAST_RETRY_MS = 30_000;
/** More steps than any way to the configured state has: something else changes the settings all the time. */
const MAX_STEPS = 30;

export const INITIAL_STATE: AdapterMachineState = {
  settings: { enabled: false, alias: '', discoverable: false },
  ...{ power: true, scanning: false, pairing: undefined },
  ...{ hasRadio: undefined, missed: 0, isStarted: false, isUp: false, isRegistered: false },
  ...{ adapter: undefined, othersPowered: [], session: false, leftOn: false },
  ...{ running: undefined, waiting: undefined, failure: undefined, failures: 0, steps: 0 },
};

type State = Readonly<AdapterMachineState>;
type Effects = AdapterMachineEffect[];

export const adapterMachine: Machine<State, AdapterMachineEvent, AdapterMachineEffect> = (before, event) => {
  const state = { ...before };
  const effects: Effects = [];
  take(state, event, effects);
  advance(state, effects);
  const hadTimer = before.waiting !== undefined && event.event !== 'timer';
  if (hadTimer && state.waiting === undefined) effects.push({ do: 'cancel_timer' });
  return { state, effects };
};

/** Whether nothing more is to be done: as configured, or no radio is there. */
export function isSettled(state: State): boolean {
  return state.running === undefined && state.waiting !== 'retry' && next(state) === undefined;
}

function take(state: AdapterMachineState, event: AdapterMachineEvent, effects: Effects): void {
  switch (event.event) {
    case 'configured':
      if (event.settings.enabled && !state.settings.enabled) Object.assign(state, { power: true });
      if (!event.settings.enabled) state.scanning = false;
      state.settings = event.settings;
      state.hasRadio = undefined;
      tryAtOnce(state);
      return;
    case 'daemon':
      takeDaemon(state, event.state);
      return;
    case 'looked':
      state.hasRadio = event.hasRadio;
      state.missed = event.hasRadio && state.isUp && !state.adapter ? state.missed + 1 : 0;
      if (state.missed < MAX_MISSED) return;
      state.missed = 0;
      fail(state, effects, 'The Bluetooth service does not take the adapter.');
      return;
    case 'power':
      state.power = event.powered;
      if (!event.powered) state.scanning = false;
      tryAtOnce(state);
      return;
    case 'scan':
      state.scanning = event.active;
      return;
    case 'pairing':
      state.pairing = event.device;
      return;
    case 'agent_released':
      state.isRegistered = false;
      return;
    case 'done':
      takeDone(state, effects, event.error);
      return;
    case 'timer':
      takeTimer(state, effects);
      return;
  }
}

function takeDaemon(state: AdapterMachineState, { isUp, adapter, othersPowered }: DaemonState): void {
  const { adapter: known } = state;
  const isOther = adapter?.id !== known?.id;
  if (isUp !== state.isUp || isOther || adapter?.blocked !== known?.blocked) tryAtOnce(state);
  if (isOther || !adapter?.powered) state.session = false;
  // What was asked of an adapter ends with it.
  if (isOther || (known?.powered && !adapter?.powered)) state.scanning = false;
  if (isUp !== state.isUp) Object.assign(state, { isRegistered: false, leftOn: false });
  if (isOther) Object.assign(state, { hasRadio: adapter ? true : undefined, missed: 0 });
  Object.assign(state, { isUp, adapter, othersPowered });
}

function takeDone(state: AdapterMachineState, effects: Effects, error: string | undefined): void {
  const { running } = state;
  state.running = undefined;
  if (running?.step === 'discover' && (running.active || error === undefined)) {
    const isThere = state.adapter?.id === running.adapter && state.adapter.powered;
    if (!running.active || !isThere) state.session = false;
    else state.session = error === undefined ? true : undefined;
    if (error === undefined) return;
    // Not tried again. What may have begun nevertheless is ended.
    state.scanning = false;
    effects.push({ do: 'report', message: error });
    return;
  }
  if (error !== undefined) {
    const isOfAdapter = running?.step === 'set' || running?.step === 'discover';
    if (isOfAdapter && !state.settings.enabled) state.leftOn = true;
    else fail(state, effects, error);
    return;
  }
  if (running?.step === 'start_daemon') state.isStarted = true;
  if (running?.step === 'stop_daemon') state.isStarted = state.isUp;
  if (running?.step === 'register_agent') state.isRegistered = state.isUp;
}

function takeTimer(state: AdapterMachineState, effects: Effects): void {
  const { waiting } = state;
  state.waiting = undefined;
  if (waiting === 'radio') state.hasRadio = undefined;
  if (waiting === 'calm') state.steps = 0;
  if (waiting !== 'daemon' || state.isUp) return;
  state.isStarted = false;
  state.failure = 'The Bluetooth service does not run.';
  effects.push({ do: 'report', message: state.failure });
}

/** A change may have removed the reason of a failure. */
function tryAtOnce(state: AdapterMachineState): void {
  if (state.waiting === 'retry') state.waiting = undefined;
  state.failures = 0;
  state.steps = 0;
}

function fail(state: AdapterMachineState, effects: Effects, message: string): void {
  const ms = Math.min(FIRST_RETRY_MS * 2 ** state.failures, LAST_RETRY_MS);
  state.failures += 1;
  state.steps = 0;
  state.failure = message;
  state.waiting = 'retry';
  effects.push({ do: 'report', message }, { do: 'set_timer', ms });
}

/** Begins what is to be done next. */
function advance(state: AdapterMachineState, effects: Effects): void {
  if (state.running !== undefined || state.waiting === 'retry') return;
  if (state.steps >= MAX_STEPS) {
    fail(state, effects, 'The settings of the Bluetooth adapter do not stay as they are set.');
    return;
  }
  const action = next(state);
  if (action === undefined && state.failure !== undefined)
    Object.assign(state, { failure: undefined, failures: 0 });
  if (action === 'look') {
    effects.push({ do: 'look' });
    return;
  }
  const waiting = typeof action === 'object' ? undefined : (action ?? idleWait(state));
  if (waiting !== undefined && waiting !== state.waiting) {
    effects.push({ do: 'set_timer', ms: WAIT_MS[waiting] });
  }
  state.waiting = waiting;
  if (typeof action !== 'object') return;
  state.running = action;
  state.steps += 1;
  effects.push({ do: 'run', step: action });
}

/** An adapter may be plugged in at any time. */
function idleWait({ settings, adapter, steps }: State): 'radio' | 'calm' | undefined {
  if (settings.enabled && !adapter) return 'radio';
  return steps > 0 ? 'calm' : undefined;
}

/** The next step, what is waited for, or undefined if nothing is to be done. */
function next(state: State): Step | 'look' | 'daemon' | 'radio' | undefined {
  const { settings, adapter, isUp, isStarted, hasRadio } = state;
  if (!settings.enabled) return nextToStop(state);
  if (!isUp) {
    if (hasRadio === undefined) return 'look';
    if (!hasRadio) return undefined;
    return isStarted ? 'daemon' : { step: 'start_daemon' };
  }
  if (!state.isRegistered) return { step: 'register_agent' };
  if (adapter) return nextSetting(state, adapter);
  if (hasRadio === undefined) return 'look';
  return hasRadio ? 'radio' : undefined;
}

function nextToStop({ isUp, isStarted, adapter, session, leftOn }: State): Step | undefined {
  if (isUp && adapter && !leftOn) {
    if (session) return { step: 'discover', adapter: adapter.id, active: false };
    if (adapter.powered) return set(adapter.id, { name: 'powered', value: false });
  }
  return isUp || isStarted ? { step: 'stop_daemon' } : undefined;
}

/** First what closes the adapter, then what opens it, so that it is never more open than configured. */
function nextSetting(state: State, adapter: AdapterState): Step | undefined {
  const { settings, power, pairing, othersPowered, scanning, session } = state;
  const { id } = adapter;
  const [other] = othersPowered;
  if (other !== undefined) return set(other, { name: 'powered', value: false });
  const pairable = settings.discoverable || pairing !== undefined;
  if (adapter.pairable && !pairable) return set(id, { name: 'pairable', value: false });
  if (adapter.discoverable && !settings.discoverable) return set(id, { name: 'discoverable', value: false });
  if (adapter.discoverableTimeout !== 0) return set(id, { name: 'discoverableTimeout', value: 0 });
  if (adapter.alias !== settings.alias) return set(id, { name: 'alias', value: settings.alias });
  if (adapter.powered !== power) return set(id, { name: 'powered', value: power });
  if (!power) return undefined;
  if (adapter.discoverable !== settings.discoverable) return set(id, { name: 'discoverable', value: true });
  if (adapter.pairable !== pairable) return set(id, { name: 'pairable', value: true });
  if (scanning !== session) return { step: 'discover', adapter: id, active: scanning };
  return undefined;
}

function set(adapter: string, setting: AdapterSetting): Step {
  return { step: 'set', adapter, setting };
}
