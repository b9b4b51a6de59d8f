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

/** The current task of the caller, who reports its end as an event. */
export type Work =
  /** Merge the patch into the current version and check it; then `checked` or `failed`. */
  | { type: 'check'; patch: JsonObject; current: Version }
  /** Store the document; then `written` or `failed`. */
  | { type: 'write'; change: Change }
  /** Apply what changed, or with `again` the leaves in any case; then `applied`, also when a part of it failed. */
  | { type: 'apply'; change: Change; before: JsonObject; again: boolean };

export interface State {
  readonly current: Version;
  /** The first one is being worked on. */
  readonly requests: readonly Request[];
  /** For the first request; undefined when there is none. */
  readonly work: Work | undefined;
}

export type Event =
  | { type: 'requested'; request: Request }
  | { type: 'checked'; change: Change }
  | { type: 'written' }
  | { type: 'applied' }
  /** The check refused the patch, or the document could not be written. */
  | { type: 'failed'; error: unknown };

export type Message =
  | { type: 'publish'; change: Change }
  | { type: 'answer'; request: Request; change: Change }
  | { type: 'reject'; request: Request; error: unknown };

export interface Transition {
  /** If its work is a new object, the caller begins it, after it has sent the messages. */
  state: State;
  messages: readonly Message[];
}

export function initialState(current: Version): State {
  return { current, requests: [], work: undefined };
}

/** @throws Error for an event that is impossible in this state: a mistake of the caller */
export function next(state: State, event: Event): Transition {
  if (event.type === 'requested') return enqueue(state, event.request);
  const { current, requests, work } = state;
  const [request] = requests;
  if (!request || !work) throw new Error(`${event.type} while idle`);
  if (event.type === 'checked' && work.type === 'check') {
    return { state: { ...state, work: { type: 'write', change: event.change } }, messages: [] };
  }
  if (event.type === 'written' && work.type === 'write') {
    const { change } = work;
    const apply: Work = { type: 'apply', change, before: current.config, again: false };
    return { state: { ...state, current: change, work: apply }, messages: [] };
  }
  if (event.type === 'applied' && work.type === 'apply') {
    const { change } = work;
    const answer: Message = { type: 'answer', request, change };
    return finish(state, request.kind === 'patch' ? [{ type: 'publish', change }, answer] : [answer]);
  }
  if (event.type === 'failed' && work.type !== 'apply') {
    return finish(state, [{ type: 'reject', request, error: event.error }]);
  }
  throw new Error(`${event.type} during ${work.type}`);
}

function enqueue(state: State, request: Request): Transition {
  if (state.requests.length >= MAX_WAITING) {
    return { state, messages: [{ type: 'reject', request, error: new ApiError('too_many_requests') }] };
  }
  const requests = [...state.requests, request];
  return { state: { ...state, requests, work: state.work ?? begin(state.current, request) }, messages: [] };
}

/** Ends the first request and begins the next one. */
function finish({ current, requests: [, ...requests] }: State, messages: readonly Message[]): Transition {
  const [request] = requests;
  return { state: { current, requests, work: request && begin(current, request) }, messages };
}

function begin(current: Version, request: Request): Work {
  if (request.kind === 'patch') return { type: 'check', patch: request.patch, current };
  const change: Change = { ...current, leaves: new Map([[request.path, 'live']]) };
  return { type: 'apply', change, before: current.config, again: true };
}
