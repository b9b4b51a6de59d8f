/** What of a trial (trial.ts) is remembered for a reload of the page. Pure. */
import { type ConfigPart, IDLE, type TrialState, undoLater } from './trial.ts';

/** How far a change has come, as far as it matters after a reload of the page. */
const PLACES = ['changed', 'restarting', 'restarted', 'returning'] as const;
type Place = (typeof PLACES)[number];

function placeOf(state: TrialState): Place | undefined {
  switch (state.phase) {
    case 'idle':
      return undefined;
    case 'applying':
    case 'stored':
      return 'changed';
    case 'restarting':
      // Whether it has gone down when the page is back is not known; a restart too many does no harm.
      return state.reached === 'down' ? 'restarting' : 'restarted';
    case 'starting':
      return 'restarting';
    case 'asking':
      return state.isRestarted ? 'restarted' : 'changed';
    case 'undoing':
      return state.needsRestart ? 'restarted' : 'changed';
    case 'returning':
      return 'returning';
  }
}

/** What has to be remembered for a reload of the page; undefined for nothing. */
export function recordOf(state: TrialState): string | undefined {
  const place = placeOf(state);
  return state.phase === 'idle' ? undefined : JSON.stringify({ place, change: state.change });
}

/**
 * The state after a reload: a change that was not confirmed is taken back, and one that waits for a restart is asked
 * about after it.
 * @param record of {@link recordOf}; anything else is no change
 */
export function resumed(record: string | undefined, now: number): TrialState {
  const { place, change } = parsed(record);
  const { tried, earlier }: { tried?: unknown; earlier?: unknown } = Object(change);
  const at = PLACES.find((one) => one === place);
  if (at === undefined || !isPart(tried) || !isPart(earlier)) return IDLE;
  const known = { tried, earlier };
  const since = now;
  if (at === 'restarting') return { phase: 'restarting', change: known, since, reached: 'down' };
  if (at === 'returning') return { phase: 'returning', change: known, since, reason: 'left', isDown: false };
  return undoLater(known, 'left', at === 'restarted', now);
}

function parsed(record: string | undefined): { place?: unknown; change?: unknown } {
  try {
    return Object(JSON.parse(record ?? 'null'));
  } catch {
    return {};
  }
}

function isPart(value: unknown): value is ConfigPart {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
