import type { Transition } from '../../../base/machine.ts';
import type {
  Action,
  DdiRequest,
  Failure,
  FailureKind,
  FleetEffect,
  FleetState,
  Result,
  Spread,
  Stored,
  TimerName,
  Timing,
} from './fleet-state.ts';
import { initialState } from './fleet-state.ts';

/** A result that the server refuses this often is not sent again. */
const MAX_REFUSALS = 5;
/** Longest message of a result, in characters. */
const MAX_MESSAGE = 500;
/** Longest doubling of a delay. */
const MAX_DOUBLINGS = 20;
/** Longest time that a server can ask for silence, in ms. */
const MAX_RETRY_AFTER_MS = 3_600_000;

/** One step of the fleet client's state machine: a copy of the state that may be changed, and the effects so far. */
export class FleetTransition implements Transition<FleetState, FleetEffect> {
  readonly state: FleetState;
  readonly effects: FleetEffect[] = [];
  readonly #timing: Timing;

  constructor(timing: Timing, before: Readonly<FleetState>) {
    this.#timing = timing;
    this.state = { ...before };
  }

  emit(effect: FleetEffect): void {
    this.effects.push(effect);
  }

  log(level: 'info' | 'warn', details: object, message: string): void {
    this.emit({ do: 'log', level, details, message });
  }

  /** Changes what is on the disk. */
  store(change: Partial<Stored>): void {
    Object.assign(this.state, change);
    const { server, action, result, cancelReply } = this.state;
    this.emit({ do: 'save', stored: { server, action, result, cancelReply } });
  }

  beginSession(): void {
    const { server, action, result, cancelReply, session, running, progress, isLost } = this.state;
    const fresh = initialState({ server, action, result, cancelReply });
    const sleepMs = this.pollDelay(undefined);
    const kept = { session: session + 1, running, progress, isLost };
    Object.assign(this.state, fresh, { sleepMs, attributes: true }, kept);
    this.emit({ do: 'cancel_timer', timer: 'poll' });
    this.emit({ do: 'cancel_timer', timer: 'retry' });
    this.emit({ do: 'cancel_timer', timer: 'attributes' });
  }

  begin(action: Action): void {
    this.#resetAttempts();
    this.store({ action });
  }

  enter(phase: Action['phase']): void {
    const { action } = this.state;
    if (action) this.store({ action: { ...action, phase } });
  }

  /** Ends work on the action without a result. An install that still runs is discarded when it is done. */
  dropAction(): void {
    const { action } = this.state;
    if (!action) return;
    this.#resetAttempts();
    this.store({ action: undefined });
    if (action.phase === 'installed') this.emit({ do: 'discard', reference: action.reference });
  }

  /** @param text a sentence; may quote the server or the updater */
  finish(success: boolean, text: string): void {
    const { action } = this.state;
    if (!action) return;
    const { id, version } = action;
    const result = this.resultOf(id, version, { success, message: text }, false);
    const { message: reason } = result;
    this.log(success ? 'info' : 'warn', { action: id, success, reason }, 'the update has ended');
    this.#resetAttempts();
    // The reboot has not come, or has not ended this run of the agent.
    if (action.phase === 'applying') this.state.running = undefined;
    this.state.refusals = 0;
    this.state.resend = false;
    this.store({ action: undefined, result });
  }

  /** @param version and message may be of any length */
  resultOf(
    id: string,
    version: string,
    { success, message }: Pick<Result, 'success' | 'message'>,
    delivered: boolean,
  ): Result {
    const text = message.slice(0, MAX_MESSAGE).toWellFormed();
    return { id, version: version.slice(0, MAX_MESSAGE), success, message: text, delivered };
  }

  reportProgress(percent: number, note?: string): void {
    this.state.reportedPercent = percent;
    this.state.progressReport = note === undefined ? { percent } : { percent, note };
  }

  /** The updater did what it was asked. */
  succeeded(): void {
    this.state.attempts = 0;
    this.state.updaterProblem = undefined;
  }

  /** @param askedMs the server asks for no request before */
  retryLater(askedMs?: number): void {
    this.state.isRetrying = true;
    this.#setRetryTimer('retry', this.state.attempts, askedMs);
    this.state.attempts += 1;
  }

  /** Asks the updater again until the result is known. */
  awaitResult(): void {
    this.state.isRetrying = true;
    this.state.attempts += 1;
    this.#setTimer('retry', this.#timing.resultMs, 'around');
  }

  /** The server has answered a request. */
  answered(): void {
    const { state } = this;
    const { request } = state;
    if (request) state.failing = { ...state.failing, [request.kind]: undefined };
    state.request = undefined;
    state.connected = true;
  }

  /** Remembers that a kind of request fails. @returns how often it had failed before */
  failed(request: DdiRequest['kind'], { kind, message }: Failure): number {
    const { state } = this;
    const { count = 0 } = state.failing[request] ?? {};
    if (count === 0) this.log('warn', { request, reason: message }, 'a request to the fleet server failed');
    const problem = { code: kind === 'gone' ? ('refused' as const) : kind, message };
    state.failing = { ...state.failing, [request]: { count: count + 1, problem } };
    return count;
  }

  /** Makes no request for a while: longer with each failure of this kind of request. */
  pause(request: DdiRequest['kind'], failure: Failure): void {
    const { state } = this;
    const before = this.failed(request, failure);
    state.connected = false;
    state.deployment = undefined; // old when the server can be reached again
    state.pollTimer = 'paused';
    this.#setRetryTimer('poll', before, failure.retryAfterMs);
  }

  /** Sends no attributes for a while. Updates do not depend on them. */
  holdAttributes(failure: Failure): void {
    const before = this.failed('send_attributes', failure);
    this.state.attributes = false;
    this.state.attributesHeld = true;
    this.#setRetryTimer('attributes', before, failure.retryAfterMs);
  }

  /** Whether a result that was refused is not sent again: the server does not know the action, or keeps refusing. */
  isGivenUp(kind: FailureKind): boolean {
    return kind === 'gone' || this.state.refusals >= MAX_REFUSALS;
  }

  /** What was sent is not to be sent again. */
  taken(request: DdiRequest): void {
    const { state } = this;
    switch (request.kind) {
      case 'send_result': {
        const { result } = state;
        state.refusals = 0;
        state.resend = false;
        if (result?.id !== request.result.id || result.delivered) return;
        this.store({ result: { ...result, delivered: true } });
        // The server offers what comes next.
        state.pollDue = true;
        return;
      }
      case 'send_cancel_reply':
        state.refusals = 0;
        this.store({ cancelReply: undefined });
        return;
      case 'send_progress': {
        const { percent, note } = state.progressReport ?? {};
        // Another one may have come while this one was sent.
        if (percent === request.percent && note === request.note) state.progressReport = undefined;
        return;
      }
      case 'send_downloaded':
        state.downloadedReport = false;
        return;
      case 'send_attributes':
        state.attributes = false;
    }
  }

  /** @param asked by the server, in ms */
  pollDelay(asked: number | undefined): number {
    const { shortest, longest, usual } = this.#timing.pollMs;
    return Math.min(Math.max(asked ?? usual, shortest), longest);
  }

  /** Sends the next request, one at a time; without one, waits for the next poll. */
  requestNext(): void {
    const { state } = this;
    if (state.server === undefined || !state.recovered || state.request) return;
    if (state.pollTimer === 'paused') return;
    const request = this.#nextRequest();
    if (request) {
      state.request = request;
      this.emit({ do: 'request', session: state.session, request });
      return;
    }
    if (state.pollTimer === 'idle') return;
    // What else has failed is not to be done any more.
    const { poll, send_attributes } = state.failing;
    state.failing = { poll, send_attributes };
    state.pollTimer = 'idle';
    this.#setTimer('poll', state.sleepMs, 'around');
  }

  /** A poll comes first: with a server that refuses everything else, the device still asks what it wants. */
  #nextRequest(): DdiRequest | undefined {
    const { pollDue, result, resend, cancelReply, cancel, offer, attributes } = this.state;
    const { action, progressReport, downloadedReport } = this.state;
    if (pollDue) return { kind: 'poll' };
    if (result && (resend || !result.delivered)) return { kind: 'send_result', result };
    if (cancelReply) return { kind: 'send_cancel_reply', reply: cancelReply };
    if (cancel !== undefined) return { kind: 'read_cancel', id: cancel };
    if (action && progressReport) return { kind: 'send_progress', id: action.id, ...progressReport };
    if (action?.phase === 'installed' && downloadedReport) return { kind: 'send_downloaded', id: action.id };
    if (attributes) return { kind: 'send_attributes' };
    if (offer !== undefined) return { kind: 'read_deployment', id: offer };
    return undefined;
  }

  #setTimer(timer: TimerName, ms: number, spread: Spread): void {
    this.emit({ do: 'set_timer', timer, ms, spread });
  }

  /** @param failures before this one @param askedMs the server asks for no request before */
  #setRetryTimer(timer: TimerName, failures: number, askedMs: number | undefined): void {
    const { first, last } = this.#timing.retryMs;
    const delay = delayOf(first, last, failures);
    if (askedMs === undefined) this.#setTimer(timer, delay, 'below');
    else this.#setTimer(timer, Math.max(delay, Math.min(askedMs, MAX_RETRY_AFTER_MS)), 'above');
  }

  #resetAttempts(): void {
    const { state } = this;
    this.succeeded();
    if (state.isRetrying) this.emit({ do: 'cancel_timer', timer: 'retry' });
    state.isRetrying = false;
    state.isUnclear = false;
    state.doubts = 0;
    state.deployment = undefined;
    state.progress = 0;
    state.reportedPercent = 0;
    state.progressReport = undefined;
    state.downloadedReport = false;
  }
}

function delayOf(first: number, last: number, failures: number): number {
  return Math.min(first * 2 ** Math.min(failures, MAX_DOUBLINGS), last);
}
