/** Drives the keeper's state machine event by event. */
import assert from 'node:assert/strict';
import { keeperMachine } from '../keeper-machine.ts';
import { type KeeperEffect, type KeeperEvent, KeeperState } from '../keeper-state.ts';
import type { BrowserEventOf } from '../ports.ts';
import type { LocatedTarget } from '../target.ts';
import { TIMING } from '../timing.ts';

export const A: LocatedTarget = { mode: 'url', url: 'http://a.example/' };
export const B: LocatedTarget = { mode: 'url', url: 'http://b.example/' };
export const MENU_URL = 'http://menu.localhost:8081/';
export const MENU: LocatedTarget = { mode: 'bundle', name: 'menu', url: MENU_URL };

/** Stands for the id of the load that was sent last. */
export const LATEST = -1;

/** Of the machine; `effects` are those of the last event. */
export let state: Readonly<KeeperState> = new KeeperState();
export let effects: readonly KeeperEffect[] = [];
let isKioskInstalled = true;
export let lastId = 0;

/** Before each test. */
export function reset(isInstalled = true): void {
  state = new KeeperState();
  isKioskInstalled = isInstalled;
}

export function send(...events: KeeperEvent[]): void {
  const machine = keeperMachine({ timing: TIMING, kioskInstalled: isKioskInstalled });
  for (const given of events) {
    const event = 'load' in given && given.load === LATEST ? { ...given, load: lastId } : given;
    ({ state, effects } = machine(state, event));
    if (effects.some(({ do: kind }) => kind === 'load' || kind === 'load_own_page' || kind === 'reload')) {
      lastId += 1;
      state = machine(state, { event: 'load_sent', id: lastId }).state;
    }
  }
}

export const did = () => effects.map((effect) => effect.do);
/** Delay of a timer that the last event has set, in ms. */
export function timer(name: string): number | undefined {
  const effect = effects.find((candidate) => candidate.do === 'set_timer' && candidate.timer === name);
  return effect?.do === 'set_timer' ? effect.ms : undefined;
}
export const isCancelled = (name: string) =>
  effects.some((effect) => effect.do === 'cancel_timer' && effect.timer === name);

export function load(
  state: BrowserEventOf<'load'>['state'],
  uri = '',
  id = LATEST,
  status = 200,
): KeeperEvent {
  return { event: 'load', state, load: id, uri, status };
}
export function failed(kind: BrowserEventOf<'load_failed'>['kind'], id = LATEST): KeeperEvent {
  return { event: 'load_failed', load: id, uri: '', kind, message: 'reason' };
}

export function connect(uri: string | null = null): void {
  send({ event: 'connected', uri });
  send({ event: 'configured', connection: state.connection });
}

export function begin(target: LocatedTarget = A, uri: string | null = null): void {
  send({ event: 'start', target, missing: undefined });
  connect(uri);
}

/** The target is on the screen. */
export function show(target: LocatedTarget): void {
  send({ event: 'show_target', target }, load('started'), load('committed'), load('finished'));
  assert.deepEqual([state.loading, state.error, state.load.stage], [false, null, 'committed']);
}
