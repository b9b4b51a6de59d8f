/**
 * The rules of the fleet client, as a pure function: no time, no input or output. `FleetClient` carries out the effects
 * and reports their results as events.
 */
import type { Machine } from '../../../base/machine.ts';
import type { Deployment } from './ddi-messages.ts';
import {
  type Action,
  actionOf,
  type FleetEffect,
  type FleetEvent,
  type FleetState,
  REFERENCE_PREFIX,
  type Timing,
} from './fleet-state.ts';
import { FleetTransition } from './fleet-transition.ts';
import type { UpdaterState } from './ports.ts';

/** An action whose install disappears, or whose reboot is requested, more often than this has failed. */
const MAX_LOST = 3;
const MAX_APPLIED = 3;
/** How often the updater is asked for the result while the old slot still runs or the new one is not confirmed. */
const MAX_RESULT_READS = 30;
/** Failures of an install for which the network, or a bundle that is damaged, can be the reason. */
const MAX_DOUBTFUL = 10;

type EventOf<K extends FleetEvent['event']> = Extract<FleetEvent, { event: K }>;

export type FleetMachine = Machine<Readonly<FleetState>, FleetEvent, FleetEffect>;

export function fleetMachine(timing: Timing): FleetMachine {
  return (before, event) => {
    if ('session' in event && event.session !== before.session) return { state: before, effects: [] };
    const transition = new FleetTransition(timing, before);
    handle(transition, event.event, event);
    transition.requestNext();
    return transition;
  };
}

function handle<K extends FleetEvent['event']>(t: FleetTransition, kind: K, event: EventOf<K>): void {
  HANDLERS[kind](t, event);
}

/** The type demands a handler for every kind of event. */
const HANDLERS: { readonly [K in FleetEvent['event']]: (t: FleetTransition, event: EventOf<K>) => void } = {
  configured: (t, { server }) => {
    const isSame = server === t.state.server;
    if (!isSame) {
      t.dropAction();
      const nothing = { server, action: undefined, result: undefined, cancelReply: undefined };
      // Not stored before it is known what was lost: the power may be cut until then.
      if (t.state.isLost) Object.assign(t.state, nothing);
      else t.store(nothing);
    }
    t.beginSession();
    if (server !== undefined) t.emit({ do: 'read_updater', session: t.state.session });
  },
  timer: (t, { timer }) => {
    const { state } = t;
    if (state.server === undefined) return;
    if (timer === 'poll') {
      state.pollTimer = 'none';
      state.pollDue = true;
      return;
    }
    if (timer === 'attributes') {
      state.attributesHeld = false;
      state.attributes = true;
      return;
    }
    state.isRetrying = false;
    if (!state.recovered || state.isUnclear || state.action?.phase === 'applying') {
      t.emit({ do: 'read_updater', session: state.session });
    } else proceed(t);
  },
  polled: onPolled,
  deployment_read: (t, { deployment, reference }) => {
    t.answered();
    onDeployment(t, deployment, reference);
  },
  cancel_read: (t, { id }) => {
    t.answered();
    t.state.cancel = undefined;
    onCancel(t, id);
  },
  sent: (t) => {
    const { request } = t.state;
    t.answered();
    if (request) t.taken(request);
  },
  request_failed: onRequestFailed,
  updater_read: onUpdaterRead,
  updater_failed: (t, { message }) => {
    t.state.updaterProblem = { code: 'install', message };
    t.retryLater();
  },
  progress: (t, { reference, fraction }) => {
    const { state } = t;
    if (state.action?.reference !== reference || state.action.phase !== 'installing') return;
    state.progress = Math.min(Math.max(fraction, state.progress), 1);
    const percent = Math.floor(state.progress * 10) * 10;
    if (percent > state.reportedPercent && percent < 100) t.reportProgress(percent);
  },
  installed: (t, { reference }) => {
    const { state } = t;
    if (state.running === reference) state.running = undefined;
    if (!isCurrent(state.action, reference, 'installing')) {
      t.emit({ do: 'discard', reference });
      proceed(t);
      return;
    }
    t.enter('installed');
    t.succeeded();
    state.progress = 1;
    state.downloadedReport = true;
    // What the server allows may have changed meanwhile.
    state.deployment = undefined;
    state.pollDue = true;
  },
  install_failed: (t, { reference, kind, message, retryAfterMs }) => {
    const { state } = t;
    if (state.running === reference) state.running = undefined;
    if (!isCurrent(state.action, reference, 'installing')) {
      proceed(t);
      return;
    }
    if (kind === 'doubtful') state.doubts += 1;
    if (kind === 'final' || state.doubts >= MAX_DOUBTFUL) {
      t.finish(false, message);
      return;
    }
    t.log('warn', { action: state.action.id, reason: message }, 'the installation is repeated');
    t.enter('waiting');
    if (state.updaterProblem?.message !== message) t.reportProgress(state.reportedPercent, message);
    state.updaterProblem = { code: 'install', message };
    t.retryLater(retryAfterMs);
  },
  applied: (t, { reference }) => {
    if (isCurrent(t.state.action, reference, 'applying')) {
      // Else it was asked for the reboot again.
      if (t.state.isRetrying) return;
      t.succeeded();
      t.awaitResult();
    } else if (t.state.running === reference) t.state.running = undefined;
  },
  apply_failed: (t, { reference, isLost, message }) => {
    const { action, running } = t.state;
    if (running === reference) t.state.running = undefined;
    if (!isCurrent(action, reference, 'applying')) return;
    t.state.updaterProblem = { code: 'install', message };
    if (isLost) onLost(t, action);
    else t.enter('installed');
    t.retryLater();
  },
};

function isCurrent(action: Action | undefined, reference: string, phase: Action['phase']): action is Action {
  return action?.reference === reference && action.phase === phase;
}

function onPolled(t: FleetTransition, { poll }: EventOf<'polled'>): void {
  const { state } = t;
  const { action, result } = state;
  t.answered();
  state.pollDue = false;
  state.pollTimer = 'none';
  state.sleepMs = t.pollDelay(poll.sleepMs);
  state.offer = undefined;
  state.deployment = undefined;
  state.cancel = state.cancelReply ? undefined : poll.cancel;
  state.attributes ||= poll.wantsAttributes && !state.attributesHeld;
  if (result?.delivered) {
    // A server that offers an ended action again has not taken its result.
    if (poll.offer === result.id) state.resend = true;
    else if (poll.cancel === undefined) t.store({ result: undefined });
  }
  const isBusy = action?.phase === 'installing' || action?.phase === 'applying';
  if (isBusy || poll.cancel !== undefined) return;
  if (action && action.id !== poll.offer) {
    t.log('info', { action: action.id }, 'the server has withdrawn the update');
    t.dropAction();
  }
  if (poll.offer !== undefined && poll.offer !== state.result?.id) state.offer = poll.offer;
}

/** An answer to the last poll. An earlier action's result is delivered before another one begins. */
function onDeployment(t: FleetTransition, deployment: Deployment, reference: string): void {
  const { state } = t;
  const { id, version, artifact } = deployment;
  const isExpected = state.offer === id;
  state.offer = undefined;
  const isOther = state.action !== undefined && state.action.id !== id;
  if (!isExpected || isOther || (state.result && !state.result.delivered)) return;
  if (!state.action) {
    t.log('info', { action: id, version }, 'the server offers an update');
    t.begin({ id, reference, version, phase: 'waiting', applied: 0, lost: 0 });
  }
  if (typeof artifact === 'string') {
    if (state.action?.phase === 'waiting') t.finish(false, artifact);
    return;
  }
  state.deployment = { ...deployment, artifact };
  proceed(t);
}

/** Does what the server allows. Only what it said since the last poll counts. */
function proceed(t: FleetTransition): void {
  const { action, deployment, isRetrying, isUnclear, running, attempts } = t.state;
  if (!action || !deployment || isRetrying || isUnclear) return;
  if (action.phase === 'waiting' && deployment.mayDownload && running === undefined) {
    t.enter('installing');
    t.state.running = action.reference;
    t.state.progress = 0;
    if (attempts === 0) t.reportProgress(0);
    t.emit({ do: 'install', reference: action.reference, artifact: deployment.artifact });
  } else if (action.phase === 'installed' && deployment.mayReboot) {
    if (action.applied >= MAX_APPLIED) {
      t.finish(false, 'The device did not reboot into the new version.');
      t.emit({ do: 'discard', reference: action.reference });
      return;
    }
    t.store({ action: { ...action, phase: 'applying', applied: action.applied + 1 } });
    t.state.running = action.reference;
    t.emit({ do: 'apply', reference: action.reference });
  }
}

function onCancel(t: FleetTransition, id: string): void {
  const { action, result } = t.state;
  const isWriting = action?.id === id && action.phase === 'installing';
  const isApplied = action?.id === id && action.phase === 'applying';
  if (isWriting || isApplied || result?.id === id) {
    const reason = isWriting
      ? 'The update is being written.'
      : isApplied
        ? 'The device reboots into the new version.'
        : 'The update has ended.';
    t.store({ cancelReply: { id, accepted: false, message: reason } });
    return;
  }
  if (action?.id === id) t.dropAction();
  t.log('info', { action: id }, 'the server has cancelled the update');
  t.store({ cancelReply: { id, accepted: true, message: 'The update is cancelled.' } });
}

function onRequestFailed(t: FleetTransition, { failure }: EventOf<'request_failed'>): void {
  const { state } = t;
  const { request } = state;
  state.request = undefined;
  if (!request) return;
  if (request.kind === 'read_deployment') state.offer = undefined;
  if (request.kind === 'read_cancel') state.cancel = undefined;
  const { kind } = failure;
  const isPerAction = kind === 'gone' || kind === 'refused';
  const isReply = request.kind === 'send_result' || request.kind === 'send_cancel_reply';
  if (isReply && isPerAction) {
    state.refusals += 1;
    if (t.isGivenUp(kind)) {
      t.log('warn', { reason: failure.message }, 'the server refuses the result');
      t.taken(request);
      return;
    }
  }
  if (request.kind === 'send_attributes') {
    t.holdAttributes(failure);
    return;
  }
  if (request.kind === 'send_progress' || request.kind === 'send_downloaded') {
    // Nothing depends on it. The poll tells whether the server can be reached.
    t.taken(request);
    if (isPerAction) return;
    if (failure.retryAfterMs === undefined) {
      state.pollDue = true;
      return;
    }
  }
  t.pause(request.kind, failure);
}

/** Finds out what became of the action, at the start and after the reboot was requested. */
function onUpdaterRead(t: FleetTransition, { updater }: EventOf<'updater_read'>): void {
  const { state } = t;
  const { action } = state;
  const { pending, lastResult, confirmed, rebooting } = updater;
  const isFirst = !state.recovered;
  if (state.isLost) {
    if ((!confirmed || rebooting) && state.attempts < MAX_RESULT_READS) {
      // What runs, or is about to, may be what the server offers.
      t.awaitResult();
      return;
    }
    onLostState(t, lastResult);
  }
  if (isFirst) {
    state.recovered = true;
    state.pollDue = true;
    state.downloadedReport = action?.phase === 'installed';
  }
  const installed = pending?.reference;
  if (installed?.startsWith(REFERENCE_PREFIX) && installed !== action?.reference) {
    // The action was dropped, and the power was cut before this.
    t.emit({ do: 'discard', reference: installed });
  }
  if (!action) return;
  const ended = lastResult?.reference === action.reference ? lastResult : undefined;
  if (ended && ended.outcome !== 'failed') {
    const { success, message } = endOf(ended);
    t.finish(success, message);
    return;
  }
  const isPending = installed === action.reference;
  state.isUnclear = (!confirmed || rebooting) && !isPending && action.phase !== 'applying';
  if (state.isUnclear) {
    // Somebody has applied an update by the API, perhaps this one.
    t.awaitResult();
    return;
  }
  switch (action.phase) {
    case 'waiting':
      return;
    case 'installing':
      // The agent was restarted; the install goes on, or has to be repeated.
      if (state.running !== action.reference) t.enter(isPending ? 'installed' : 'waiting');
      return;
    case 'installed':
      if (!isPending) onLost(t, action);
      return;
    case 'applying':
      onApplying(t, action, updater, isFirst && state.running !== action.reference);
  }
}

/** An update that has ended is not tried again: if the server still offers it, it gets the result. */
function onLostState(t: FleetTransition, last: UpdaterState['lastResult']): void {
  t.state.isLost = false;
  t.state.attempts = 0;
  const id = last?.reference == null ? undefined : actionOf(last.reference, t.state.server);
  const isEnd = last && id !== undefined && last.outcome !== 'failed';
  t.store(isEnd ? { result: t.resultOf(id, last.version, endOf(last), true) } : {});
}

/** What the server is told about the end of an update. */
function endOf({ outcome, reason, version }: NonNullable<UpdaterState['lastResult']>) {
  return outcome === 'success'
    ? { success: true, message: `Version ${version} runs.` }
    : { success: false, message: reason?.message ?? 'The update was rolled back.' };
}

/**
 * The result is not there yet: the reboot takes a while, and so does a new version until it is confirmed.
 * @param isNew the agent was started after the reboot was requested, or instead
 */
function onApplying(
  t: FleetTransition,
  { reference }: Action,
  { pending, confirmed, rebooting }: UpdaterState,
  isNew: boolean,
): void {
  const isPending = pending?.reference === reference;
  const isLate = t.state.attempts >= MAX_RESULT_READS;
  if (isPending && (isNew || isLate)) {
    t.state.running = undefined;
    t.enter('installed');
  } else if (rebooting && isLate) {
    t.state.updaterProblem = { code: 'install', message: 'The device does not reboot into the update.' };
    t.awaitResult();
    if (t.state.attempts % MAX_RESULT_READS === 1) t.emit({ do: 'apply', reference });
  } else if (confirmed && isLate) t.finish(false, 'The result of the update is not known.');
  else t.awaitResult();
}

/** Another install has taken the place of this one, or it was forgotten. */
function onLost(t: FleetTransition, action: Action): void {
  const lost = action.lost + 1;
  if (lost > MAX_LOST) t.finish(false, 'Other installations take the place of the update.');
  else t.store({ action: { ...action, phase: 'waiting', lost } });
}
