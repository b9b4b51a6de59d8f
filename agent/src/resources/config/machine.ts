/**
 * The order of everything that happens to the configuration, as a pure state machine: one request at a time, in order
 * of arrival. A patch is checked, written, applied, published and answered.
 */
import { ApiError } from '../../contract/errors.ts';
import type { Applied } from './fields.ts';
import type { JsonObject } from './tree.ts';

/** Requests that wait or are being worked on; more are refused. */
export const MAX_WAITING = 64;

/** The content of the file, and the whole configuration that follows from it. */
export interface Version {
  document: JsonObject;
  config: JsonObject;
}

/** The leaves of a patch, by dotted path, with when their schema says that they take effect. */
export type Leaves = ReadonlyMap<string, Applied>;

/** The version that a checked patch leads to. */
export interface Change extends Version {
  leaves: Leaves;
}

/** The result of a patch. */
export interface PatchResult {
  config: JsonObject;
  /** By dotted path of each leaf of the patch. */
  applied: Record<string, Applied>;
}

export type Request = { reply: PromiseWithResolvers<PatchResult> } & (
  | { kind: 'patch'; patch: JsonObject }
  /** Applies a stored field again: at the start, or when the configured program has lost its settings. */
  | { kind: 'reapply'; path: string }
);

type Step = { name: 'checking' } | { name: 'writing'; change: Change } | { name: 'applying'; leaves: Leaves };

export interface State {
  readonly current: Version;
  /** The first one is being worked on. */
  readonly requests: readonly Request[];
  /** Undefined when there is no request. */
  readonly step: Step | undefined;
}

export type Event =
  | { type: 'requested'; request: Request }
  | { type: 'checked'; change: Change }
  | { type: 'written' }
  | { type: 'applied' }
  /** The check refused the patch, or the document could not be written. */
  | { type: 'failed'; error: unknown };

export type Effect =
  /** Merge the patch into the current version and check it; then `checked` or `failed`. */
  | { type: 'check'; patch: JsonObject; current: Version }
  /** Store the document; then `written` or `failed`. */
  | { type: 'write'; document: JsonObject }
  /** Apply what changed, or with `again` these leaves in any case; then `applied`, also when a part of it failed. */
  | { type: 'apply'; now: JsonObject; before: JsonObject; leaves: Leaves; again: boolean }
  | { type: 'publish'; config: JsonObject; leaves: Leaves }
  | { type: 'answer'; request: Request; config: JsonObject; leaves: Leaves }
  | { type: 'reject'; request: Request; error: unknown };

export interface Transition {
  state: State;
  effects: readonly Effect[];
}

export function initialState(current: Version): State {
  return { current, requests: [], step: undefined };
}

/** @throws Error for an event that is impossible in this state: a mistake of the caller */
export function next(state: State, event: Event): Transition {
  if (event.type === 'requested') return enqueue(state, event.request);
  const { current, requests, step } = state;
  const [request] = requests;
  if (!request || !step) throw new Error(`${event.type} while idle`);
  if (event.type === 'checked' && step.name === 'checking') {
    const { change } = event;
    const write: Effect = { type: 'write', document: change.document };
    return { state: { ...state, step: { name: 'writing', change } }, effects: [write] };
  }
  if (event.type === 'failed' && step.name !== 'applying') {
    return finish(state, { type: 'reject', request, error: event.error });
  }
  if (event.type === 'written' && step.name === 'writing') {
    const { leaves, document, config } = step.change;
    const apply: Effect = { type: 'apply', now: config, before: current.config, leaves, again: false };
    const applying = { name: 'applying', leaves } as const;
    return { state: { ...state, current: { document, config }, step: applying }, effects: [apply] };
  }
  if (event.type === 'applied' && step.name === 'applying') {
    const result = { config: current.config, leaves: step.leaves };
    const answer: Effect = { type: 'answer', request, ...result };
    if (request.kind === 'reapply') return finish(state, answer);
    return finish(state, { type: 'publish', ...result }, answer);
  }
  throw new Error(`${event.type} while ${step.name}`);
}

function enqueue(state: State, request: Request): Transition {
  if (state.requests.length >= MAX_WAITING) {
    return { state, effects: [{ type: 'reject', request, error: new ApiError('too_many_requests') }] };
  }
  const queued = { ...state, requests: [...state.requests, request] };
  return state.step ? { state: queued, effects: [] } : begin(queued);
}

/** Ends the first request and begins the next one. */
function finish(state: State, ...effects: Effect[]): Transition {
  const begun = begin({ ...state, requests: state.requests.slice(1), step: undefined });
  return { state: begun.state, effects: [...effects, ...begun.effects] };
}

function begin(state: State): Transition {
  const [request] = state.requests;
  const { current } = state;
  if (!request) return { state, effects: [] };
  if (request.kind === 'patch') {
    const check: Effect = { type: 'check', patch: request.patch, current };
    return { state: { ...state, step: { name: 'checking' } }, effects: [check] };
  }
  const { config } = current;
  const leaves: Leaves = new Map([[request.path, 'live']]);
  const apply: Effect = { type: 'apply', now: config, before: config, leaves, again: true };
  return { state: { ...state, step: { name: 'applying', leaves } }, effects: [apply] };
}
