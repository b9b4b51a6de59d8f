/** Requests to show something, and how far they have come. */
import { type ReadonlySignal, useSignal } from '@preact/signals';
import { type Action, until, useAction } from '../../app/actions.ts';
import { type DisplayState, display } from '../../app/device-state.ts';
import { howItGoes, type Progress, progressOf } from '../../app/display-words.ts';
import { ActionError } from '../../app/failure.ts';
import { t } from '../../app/texts.ts';

/** A page has two minutes to load (docs of `load_timeout`), and a browser some seconds to start. */
const TIMEOUT_MS = 140_000;

/** Makes a request whose answer is what will be on the screen. */
export type Send = () => Promise<DisplayState>;

/** `sent` until the device has answered, `refused` if it did not accept the request or its result did not come. */
export type ShowProgress = 'sent' | 'refused' | Progress;

export interface Showing {
  readonly action: Action<[Send]>;
  /** Undefined before the first request. */
  readonly progress: ReadonlySignal<ShowProgress | undefined>;
}

/** Shows things: an action is done when its target is on the screen, and fails with the reason why it is not. */
export function useShow(): Showing {
  const progress = useSignal<ShowProgress | undefined>(undefined);
  const action = useAction<[Send]>({
    showsFailure: true,
    run: async (send) => {
      progress.value = 'sent';
      try {
        const wanted = await send();
        progress.value = 'loading';
        // What was known before may be older than the answer.
        await display.refresh();
        await until(() => {
          const now = display.value.value;
          if (!now) return false;
          const at = progressOf(wanted, now);
          progress.value = at;
          return isShown(at, now);
        }, TIMEOUT_MS);
      } catch (error) {
        const at = progress.peek();
        if (at !== 'failed' && at !== 'replaced') progress.value = 'refused';
        throw error;
      }
    },
  });
  return { action, progress };
}

/** @throws ActionError if it never will be */
function isShown(progress: Progress, now: DisplayState): boolean {
  if (progress === 'replaced') throw new ActionError(t('show.replaced'));
  if (progress === 'failed') throw new ActionError(howItGoes(now).sentence, now.error?.message);
  return progress === 'shown';
}
