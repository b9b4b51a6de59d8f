/** Restarts the device into an installed update, and finds out what becomes of it, also while another view is shown. */
import { type ReadonlySignal, signal } from '@preact/signals';
import { announce, untilAway, untilBack } from '../../app/absence.ts';
import { Action, until } from '../../app/actions.ts';
import { connection, device } from '../../app/device-state.ts';
import { ActionError } from '../../app/failure.ts';
import { t } from '../../app/texts.ts';
import { toast } from '../../app/toasts.ts';
import { update } from './update-state.ts';
import { resultWords } from './update-words.ts';

/** Longer than a new version has to prove itself, and than the way back after that, in ms. */
const TRIAL_MS = 20 * 60_000;

/** `asked`: it is still there. `trial`: the device is back, and it is not decided yet which version stays. */
export type RestartStage = 'asked' | 'away' | 'trial';

const current = signal<RestartStage | undefined>(undefined);

/** Undefined while no restart of this page is under way. */
export const restartStage: ReadonlySignal<RestartStage | undefined> = current;

/** Starts the installed update, and is done when the device has confirmed it. */
export const restart = new Action({
  showsFailure: true,
  run: async () => {
    const leave = update.use();
    try {
      await update.refresh();
      const before = update.value.peek()?.last_result?.ts;
      current.value = 'asked';
      await announce('update', () => connection.client.post('/update/apply'));
      if (!(await untilAway())) throw new ActionError(t('update.not_gone'));
      current.value = 'away';
      if (!(await untilBack())) throw new ActionError(t('update.not_back'));
      current.value = 'trial';
      // A device that gives the new version up goes away once more.
      connection.expect('update');
      await until(() => isConfirmed(before), TRIAL_MS);
      await device.refresh();
      toast('good', t('update.now_runs', { version: device.value.peek()?.version ?? '' }));
    } finally {
      // A restart that was announced and did not begin stays explained: it may still come.
      if (current.peek() === 'trial') connection.expect(undefined);
      current.value = undefined;
      leave();
    }
  },
});

/**
 * @param before when the update before was decided
 * @throws ActionError if the device has gone back to the version before
 */
function isConfirmed(before: string | undefined): boolean {
  const result = update.value.value?.last_result;
  if (!result || result.ts === before) return false;
  if (result.outcome === 'success') return true;
  const { sentence, todo, detail } = resultWords(result);
  throw new ActionError(todo ? `${sentence} ${todo}` : sentence, detail);
}
