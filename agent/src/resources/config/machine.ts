/**
 * The order of everything that happens to the configuration, as a pure state machine: one change at a time, in the
 * order of the requests; first checked, then written, then in force, then applied, then published, then answered.
 */
import type { Applied } from './fields.ts';

/** Changes that wait or are worked on; more are refused. */
export const MAX_WAITING = 64;

/** A configuration: what the file holds and the whole tree that follows from it. */
export interface Version<D, C> {
  document: D;
  config: C;
}

/** The leaves of a patch, by dotted path, with when their schema says that they take effect. */
export type Leaves = ReadonlyMap<string, Applied>;

/** A change that a patch makes, once it has been checked. */
export interface Change<D, C> extends Version<D, C> {
  leaves: Leaves;
}

export type Request<P> =
  | { id: number; kind: 'patch'; patch: P }
  /** Applies what is stored again: at the start, or when what was configured has lost its settings. */
  | { id: number; kind: 'reapply'; path: string };

type Step<D, C> =
  | { name: 'checking' }
  | { name: 'writing'; change: Change<D, C> }
  | { name: 'applying'; leaves: Leaves };

export interface State<P, D, C> {
  readonly current: Version<D, C>;
  /** The first one is being worked on. */
  readonly requests: readonly Request<P>[];
  /** Undefined when there is no request. */
  readonly step: Step<D, C> | undefined;
}

export type Event<P, D, C> =
  | { type: 'requested'; request: Request<P> }
  | { type: 'checked'; change: Change<D, C> }
  | { type: 'refused'; error: unknown }
  | { type: 'written' }
  | { type: 'not_written'; error: unknown }
  | { type: 'applied' };

export type Effect<P, D, C> =
  /** Merge the patch into the current version and check it; answer with `checked` or `refused`. */
  | { type: 'check'; patch: P; current: Version<D, C> }
  /** Store the document; answer with `written` or `not_written`. */
  | { type: 'write'; document: D }
  /** Bring a change into effect; answer with `applied`, also when a part of it failed. */
  | { type: 'apply'; now: C; before: C; leaves: Leaves }
  /** Bring one path into effect again; answer with `applied`. */
  | { type: 'reapply'; path: string; now: C }
  | { type: 'publish'; leaves: Leaves; config: C }
  | { type: 'answer'; id: number; config: C; leaves: Leaves }
  | { type: 'reject'; id: number; error: unknown }
  | { type: 'reject_busy'; id: number };

export interface Transition<P, D, C> {
  state: State<P, D, C>;
  effects: readonly Effect<P, D, C>[];
}

export function initialState<P, D, C>(current: Version<D, C>): State<P, D, C> {
  return { current, requests: [], step: undefined };
}

/** @throws Error for an event that cannot come in this state: a mistake of the caller */
export function next<P, D, C>(state: State<P, D, C>, event: Event<P, D, C>): Transition<P, D, C> {
  if (event.type === 'requested') return requested(state, event.request);
  const [request] = state.requests;
  const { current, step } = state;
  if (!request || !step) throw unexpected(event.type, 'idle');
  switch (event.type) {
    case 'checked': {
      if (step.name !== 'checking') throw unexpected(event.type, step.name);
      const { change } = event;
      const effect = { type: 'write', document: change.document } as const;
      return { state: { ...state, step: { name: 'writing', change } }, effects: [effect] };
    }
    case 'refused':
      if (step.name !== 'checking') throw unexpected(event.type, step.name);
      return finish(state, { type: 'reject', id: request.id, error: event.error });
    case 'not_written':
      if (step.name !== 'writing') throw unexpected(event.type, step.name);
      return finish(state, { type: 'reject', id: request.id, error: event.error });
    case 'written': {
      if (step.name !== 'writing') throw unexpected(event.type, step.name);
      const { document, config, leaves } = step.change;
      const effect = { type: 'apply', now: config, before: current.config, leaves } as const;
      return {
        state: { ...state, current: { document, config }, step: { name: 'applying', leaves } },
        effects: [effect],
      };
    }
    case 'applied': {
      if (step.name !== 'applying') throw unexpected(event.type, step.name);
      const { config } = current;
      const answer = { type: 'answer', id: request.id, config, leaves: step.leaves } as const;
      if (request.kind === 'reapply') return finish(state, answer);
      return finish(state, { type: 'publish', leaves: step.leaves, config }, answer);
    }
  }
}

function requested<P, D, C>(state: State<P, D, C>, request: Request<P>): Transition<P, D, C> {
  if (state.requests.length >= MAX_WAITING) {
    return { state, effects: [{ type: 'reject_busy', id: request.id }] };
  }
  const requests = [...state.requests, request];
  return state.step ? { state: { ...state, requests }, effects: [] } : begin({ ...state, requests });
}

/** Ends the first request and begins with the one behind it. */
function finish<P, D, C>(state: State<P, D, C>, ...effects: Effect<P, D, C>[]): Transition<P, D, C> {
  const begun = begin({ ...state, requests: state.requests.slice(1), step: undefined });
  return { state: begun.state, effects: [...effects, ...begun.effects] };
}

function begin<P, D, C>(state: State<P, D, C>): Transition<P, D, C> {
  const [request] = state.requests;
  const { current } = state;
  if (!request) return { state, effects: [] };
  if (request.kind === 'patch') {
    const effect = { type: 'check', patch: request.patch, current } as const;
    return { state: { ...state, step: { name: 'checking' } }, effects: [effect] };
  }
  const effect = { type: 'reapply', path: request.path, now: current.config } as const;
  return { state: { ...state, step: { name: 'applying', leaves: new Map() } }, effects: [effect] };
}

function unexpected(event: string, step: string): Error {
  return new Error(`${event} while ${step}`);
}
