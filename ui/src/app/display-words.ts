/** What the screen shows, in words. Pure, except for the language of the texts. */
import type { DisplayState } from './device-state.ts';
import { type TextKey, t } from './texts.ts';

export type Level = 'good' | 'warning' | 'bad' | 'unknown';

/** A state in words. */
export interface Words {
  readonly level: Level;
  /** What is the case. */
  readonly sentence: string;
  /** What to do about it; undefined if nothing is needed. */
  readonly todo: string | undefined;
  /** The device's own words about an error, in English. */
  readonly detail: string | undefined;
}

type Shown = Pick<DisplayState, 'mode' | 'url' | 'target_url' | 'bundle'>;
type ErrorCode = NonNullable<DisplayState['error']>['code'];

/** What is, or will be, on the screen: an address, or the name of what the device has itself. */
export function whatIsShown({ mode, url, target_url, bundle }: Shown): string {
  if (mode === 'bundle') return t('display.bundle', { name: bundle ?? '' });
  return mode === 'url' ? (url ?? target_url ?? '') : t('display.waiting');
}

/** How it goes, and what to do about it. */
export function howItGoes({ error, loading, screen_on }: DisplayState): Words {
  const detail = error?.message;
  if (error) {
    const todo = t(`display.${error.code}_do` satisfies TextKey);
    const goesOn = isTriedAgain(error.code);
    return {
      level: goesOn && loading ? 'warning' : 'bad',
      sentence: t(`display.${error.code}` satisfies TextKey),
      todo: goesOn ? `${t('display.retrying')} ${todo}` : todo,
      detail,
    };
  }
  if (loading) return { level: 'unknown', sentence: t('display.loading'), todo: undefined, detail };
  if (!screen_on) {
    return { level: 'warning', sentence: t('display.off'), todo: t('display.off_do'), detail };
  }
  return { level: 'good', sentence: t('display.shown'), todo: undefined, detail };
}

/** Errors after which the device waits for a host (docs of `DisplayState`). */
function isTriedAgain(code: ErrorCode): boolean {
  return code !== 'authentication_required' && code !== 'bundle_missing' && code !== 'bundle_damaged';
}

/** Resolution and rotation of a connected screen. */
export function screenWords({ resolution, rotation }: Pick<DisplayState, 'resolution' | 'rotation'>): string {
  const parts = resolution === null ? [] : [`${resolution.replace('x', ' × ').replace('@', ', ')} Hz`];
  if (rotation !== 0) parts.push(t('display.rotated', { degrees: rotation }));
  return parts.join(', ');
}

/** How far a request to show something has come. */
export type Progress = 'loading' | 'shown' | 'failed' | 'replaced';

/**
 * @param wanted what the device has accepted
 * @param now what the screen shows
 */
export function progressOf(wanted: Shown, now: DisplayState): Progress {
  const isSame =
    now.mode === wanted.mode && now.bundle === wanted.bundle && now.target_url === wanted.target_url;
  if (!isSame) return 'replaced';
  if (now.loading) return 'loading';
  return now.error ? 'failed' : 'shown';
}
