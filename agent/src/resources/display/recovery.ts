/** All that is tried after a failure, and when. */
import { RESTART_FAILED } from './display-errors.ts';
import type { EventOf, FailureKind, Stage, Step, Transition } from './keeper-state.ts';
import type { DisplayError } from './schema.ts';
import { renderOwnPage, show, stopStableTimer } from './showing.ts';

const CRASH_DELAYS_MS = [100, 1000, 3000, 10_000, 30_000, 60_000];
const LOAD_DELAYS_MS = [2000, 4000, 8000, 15_000, 30_000, 60_000];
/** A crash that is followed by a delay as long as this is explained on the screen. */
const NOTICE_FROM_MS = 3000;
/** The longest delay between restarts of the unit, as a multiple of the first. */
const MAX_UNIT_DELAY_FACTOR = 16;

/**
 * What to do after the n-th failure in a row. It never gives up: the delay is capped, not the tries.
 * @param failures 1 for the first failure since the page was last stable
 */
export function recoveryStep(failures: number, kind: FailureKind): Step {
  const delays = kind === 'load' ? LOAD_DELAYS_MS : CRASH_DELAYS_MS;
  const delayMs = delays[Math.min(failures, delays.length) - 1] ?? 0;
  if (kind === 'load') return { delayMs, stage: 'page', notice: true };
  const stage = failures === 4 ? 'browser' : failures === 6 ? 'compositor' : 'page';
  return { delayMs, stage, notice: delayMs >= NOTICE_FROM_MS };
}

/** The target is not on the screen. It is tried again after a delay. */
export function fail(t: Transition, kind: FailureKind, error: DisplayError): void {
  t.supersede();
  countFailure(t, error);
  t.state.navigatedTo = undefined;
  planRetry(t, t.config.timing.step(t.state.failures, kind));
}

export function countFailure(t: Transition, error: DisplayError): void {
  stopStableTimer(t);
  t.state.failures += 1;
  t.state.error = error;
  t.emit({
    do: 'warn',
    fields: { error, failures: t.state.failures },
    message: 'the target is not on the screen',
  });
}

/** A new browser after several failures: the target waits for as long as after a crash. */
export function retryInNewBrowser(t: Transition): void {
  planRetry(t, { ...t.config.timing.step(t.state.failures, 'crash'), stage: 'page' });
}

function planRetry(t: Transition, { delayMs, stage, notice }: Step): void {
  t.state.loading = false;
  t.state.retryStage = stage;
  t.setTimer('retry', delayMs);
  if (notice) renderOwnPage(t, 'refresh');
}

export function onRetryTimer(t: Transition): void {
  const { retryStage } = t.state;
  t.expectTarget();
  if (retryStage === 'page') show(t);
  else restart(t, retryStage);
}

/** The page has been up long enough for earlier failures not to count any more. */
export function onStableTimer(t: Transition): void {
  t.state.failures = 0;
}

/** Ends the browser, or the compositor with it. The target is loaded when a new browser comes. */
export function restart(t: Transition, stage: Exclude<Stage, 'page'>): void {
  const { connected } = t.state;
  t.supersede();
  t.expectTarget();
  t.state.ending = connected;
  // Also with a browser that is still connected: it may never end.
  expectBrowser(t);
  t.emit({ do: stage === 'browser' && connected ? 'quit' : 'restart_unit' });
}

/** A new browser should come by itself. When none does, the unit is restarted, more and more rarely. */
export function expectBrowser(t: Transition): void {
  if (!t.state.connected && !t.config.kioskInstalled) return;
  t.state.unitDelayMs = t.config.timing.awayMs;
  t.setTimer('unit', t.state.unitDelayMs);
}

export function onUnitTimer(t: Transition): void {
  const { awayMs } = t.config.timing;
  t.emit({
    do: 'warn',
    fields: { after_ms: t.state.unitDelayMs },
    message: 'no new browser; restarting its unit',
  });
  t.emit({ do: 'restart_unit' });
  t.state.unitDelayMs = Math.min(t.state.unitDelayMs * 2, awayMs * MAX_UNIT_DELAY_FACTOR);
  t.setTimer('unit', t.state.unitDelayMs);
}

export function onQuitFailed(t: Transition, { reason }: EventOf<'quit_failed'>): void {
  t.emit({ do: 'warn', fields: { reason }, message: 'the browser does not quit' });
  t.emit({ do: 'restart_unit' });
}

/** The browser that was to end stays, and is used as it is. */
export function onUnitRestartFailed(t: Transition): void {
  t.state.ending = false;
  t.cancelTimer('unit');
  fail(t, 'crash', RESTART_FAILED);
}

/** A browser that is connected and does not take commands is of no use. */
export function onCommandFailed(t: Transition, { reason }: EventOf<'command_failed'>): void {
  if (t.state.settings !== 'taken') t.state.settings = 'failed';
  t.state.ownPage = undefined; // it may never have been shown
  if (t.state.ending) return;
  t.emit({ do: 'warn', fields: { reason }, message: 'the browser does not take commands' });
  restart(t, 'compositor');
}
