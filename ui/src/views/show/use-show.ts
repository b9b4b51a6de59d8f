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

export interface Showing {
  readonly action: Action<[Send]>;
  /** `sent` until the device has answered; undefined before the first request. */
  readonly progress: ReadonlySignal<'sent' | Progress | undefined>;
}

/** Shows things: an action is done when its target is on the screen, and fails with the reason why it is not. */
export function useShow(): Showing {
  const progress = useSignal<'sent' | Progress | undefined>(undefined);
  const action = useAction<[Send]>({
    showsFailure: true,
    run: async (send) => {
      progress.value = 'sent';
      try {
        const wanted = await send();
        progress.value = 'loading';
        // What was known before may be older than the answer.
        await display.refresh();
        await until(() => isShown(wanted, display.value.value), TIMEOUT_MS);
        progress.value = 'shown';
      } catch (error) {
        progress.value = 'failed';
        throw error;
      }
    },
  });
  return { action, progress };
}

function isShown(wanted: DisplayState, now: DisplayState | undefined): boolean {
  const progress = now ? progressOf(wanted, now) : 'loading';
  if (progress === 'replaced') throw new ActionError(t('show.replaced'));
  if (progress === 'failed' && now) {
    const { sentence, todo, detail } = howItGoes(now);
    throw new ActionError(todo ? `${sentence} ${todo}` : sentence, detail);
  }
  return progress === 'shown';
}
