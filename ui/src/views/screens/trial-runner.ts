/** Carries out trials of the screen (trial.ts), also while its view is not shown. One at a time. */
import { computed, type ReadonlySignal, signal } from '@preact/signals';
import { RequestError } from '../../../../client/client.ts';
import { until } from '../../app/actions.ts';
import { connection, display } from '../../app/device-state.ts';
import { ActionError, type Failure, failureOf } from '../../app/failure.ts';
import { VIEW_PATHS } from '../../app/paths.ts';
import { navigate } from '../../app/router.ts';
import { rememberedHere, rememberHere } from '../../app/storage.ts';
import { t } from '../../app/texts.ts';
import { toast } from '../../app/toasts.ts';
import {
  type Change,
  IDLE,
  SHOW_MS,
  step,
  type TrialEffect,
  type TrialEvent,
  type TrialState,
} from './trial.ts';
import { recordOf, resumed } from './trial-record.ts';

/** Under which the open trial is remembered for a reload; main.tsx looks for it. */
const RECORD = 'trial';
const TICK_MS = 500;
/** A trial with a restart may take as long as the device needs to boot, in ms. */
const LONGEST_MS = 20 * 60_000;

const current = signal<TrialState>(IDLE);
const clock = signal(0);
const why = signal<Failure | undefined>(undefined);
const isOnline = computed(() => connection.link.value.phase === 'online');
/** Requests are made one after the other: the device takes them in the order of their arrival. */
let requests = Promise.resolve();
let stop: (() => void) | undefined;

export const trial: ReadonlySignal<TrialState> = current;
/** The time in ms of `performance.now()`, twice a second while there is a trial. */
export const trialNow: ReadonlySignal<number> = clock;
/** Why the last request of the trial has failed. */
export const trialFailure: ReadonlySignal<Failure | undefined> = why;

/** Goes on with a trial from before a reload of the page. */
export function resumeTrial(): void {
  if (current.peek().phase !== 'idle') return;
  enter(resumed(rememberedHere(RECORD), performance.now()));
}

/**
 * Makes a change, and asks whether it is to stay.
 * @returns when it has been confirmed or taken back
 * @throws ActionError if the device does not accept it
 */
export async function tryChange(change: Change): Promise<void> {
  if (!connection.isOnline) throw new ActionError(t('error.offline'));
  tellTrial({ type: 'start', change });
  await until(() => current.value.phase === 'idle', LONGEST_MS);
  const end = current.peek();
  if (end.phase === 'idle' && end.outcome === 'refused') {
    throw new ActionError(why.peek()?.sentence ?? t('error.refused'), why.peek()?.detail);
  }
}

/** What the user has decided, or what has happened. */
export function tellTrial(event: TrialEvent): void {
  const now = performance.now();
  clock.value = now;
  const before = current.peek();
  const [next, todo] = step(before, event, now);
  if (next === before) return;
  enter(next);
  const change = next.phase === 'idle' ? undefined : next.change;
  if (todo === 'watch') void watch();
  else if (todo && change) requests = requests.then(() => perform(todo, change));
}

/** Remembers the state, and follows time, connection and page as long as there is a trial. */
function enter(next: TrialState): void {
  const before = current.peek();
  current.value = next;
  rememberHere(RECORD, recordOf(next));
  if (next.phase === 'idle') {
    stop?.();
    stop = undefined;
    if (before.phase !== 'idle') sayOutcome(next.outcome);
    return;
  }
  // The question is asked where its dialog is.
  if (next.phase === 'asking' && before.phase === 'starting') navigate(VIEW_PATHS.screens);
  if (stop) return;
  why.value = undefined;
  clock.value = performance.now();
  const timer = setInterval(() => tellTrial({ type: 'tick' }), TICK_MS);
  addEventListener('pagehide', leave);
  stop = () => {
    clearInterval(timer);
    removeEventListener('pagehide', leave);
    unfollow();
  };
  const unfollow = isOnline.subscribe((online) => tellTrial({ type: online ? 'connected' : 'lost' }));
}

function sayOutcome(outcome: Extract<TrialState, { phase: 'idle' }>['outcome']): void {
  if (outcome === 'kept') toast('good', t('screens.kept'));
  else if (outcome === 'asked') toast('good', t('screens.undone_asked'));
  // It stays until somebody has read it.
  else if (outcome && outcome !== 'refused') toast('bad', t(`screens.undone_${outcome}`));
}

/** Never rejects. */
async function perform(todo: Exclude<TrialEffect, 'watch'>, change: Change): Promise<void> {
  try {
    if (todo === 'apply') {
      const { applied } = await connection.client.patch('/config', { json: { display: change.tried } });
      tellTrial({ type: 'applied', needsRestart: Object.values(applied).includes('reboot_required') });
    } else if (todo === 'restart') {
      await restart();
      tellTrial({ type: 'restart_accepted' });
    } else {
      await connection.client.patch('/config', { json: { display: change.earlier } });
      if (todo === 'undo_and_restart') await restart();
      tellTrial({ type: 'undone' });
    }
    why.value = undefined;
  } catch (error) {
    why.value = failureOf(error);
    tellTrial({ type: failed(todo, error) });
  }
}

/** What a failure means. After an internal error nobody knows what was done. */
function failed(
  todo: TrialEffect,
  error: unknown,
): 'refused' | 'unanswered' | 'restart_refused' | 'undo_failed' {
  if (todo === 'undo' || todo === 'undo_and_restart') return 'undo_failed';
  if (!(error instanceof RequestError) || error.code === 'internal') return 'unanswered';
  return todo === 'apply' ? 'refused' : 'restart_refused';
}

async function restart(): Promise<void> {
  await connection.client.post('/device/reboot');
  connection.expect('reboot');
}

/** Tells when the restarted device shows something. Never rejects. */
async function watch(): Promise<void> {
  // What was known before is from before the restart.
  await display.refresh();
  const isShown = () => display.value.value?.loading === false && display.value.value.error === null;
  await until(isShown, SHOW_MS).then(
    () => tellTrial({ type: 'shown' }),
    () => undefined,
  );
}

/** The page is left: the change is taken back at once, since perhaps nobody comes back to this page. */
function leave(): void {
  tellTrial({ type: 'left' });
  const state = current.peek();
  if (state.phase !== 'undoing') return;
  void fetch(`${location.origin}/api/v1/config`, {
    method: 'PATCH',
    // Also while the page is closed.
    keepalive: true,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ display: state.change.earlier }),
  }).catch(() => undefined);
}
