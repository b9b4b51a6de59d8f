/** Sends changes of the configuration. */
import { type ReadonlySignal, useSignal } from '@preact/signals';
import { type Action, until, useAction } from '../../app/actions.ts';
import { connection } from '../../app/device-state.ts';
import { ActionError } from '../../app/failure.ts';
import { plural } from '../../app/texts.ts';
import { toast } from '../../app/toasts.ts';
import { type Change, patchOf } from './changes.ts';
import { same, valueAt } from './json.ts';
import { NO_REFUSAL, type Refusal, refusalOf, withoutField } from './refusal.ts';
import { withAnswer } from './restart.ts';
import type { Field } from './schema.ts';
import { baseline, config, keepBaseline } from './state.ts';

/** How long the device may take to report what it has stored, in ms. */
const TIMEOUT_MS = 15_000;
/** Applying a change takes up to 10 s for each part of the device. */
const ANSWER_MS = 120_000;

export interface Sending {
  readonly action: Action<[readonly Change[]]>;
  /** What the device has refused the last time. */
  readonly refusal: ReadonlySignal<Refusal>;
  /** The user has corrected a field. */
  readonly corrected: (name: string) => void;
}

/** An action that sends changes in one patch. @param sent called when the device has stored them */
export function useSend(fields: readonly Field[], sent: (changes: readonly Change[]) => void): Sending {
  const refusal = useSignal(NO_REFUSAL);
  const action = useAction<[readonly Change[]]>({
    showsFailure: true,
    run: async (changes) => {
      refusal.value = NO_REFUSAL;
      try {
        await send(changes, fields);
      } catch (error) {
        const names = new Set([...fields, ...changes].map(({ name }) => name));
        refusal.value = refusalOf(error, names);
        throw explained(error, refusal.value);
      }
      sent(changes);
      toast('good', plural('settings.saved', changes.length));
    },
  });
  const corrected = (name: string): void => {
    refusal.value = withoutField(refusal.peek(), name);
  };
  return { action, refusal, corrected };
}

/** One patch, all or nothing. Resolves when the device reports the new values. */
async function send(changes: readonly Change[], fields: readonly Field[]): Promise<void> {
  const answer = await connection.client.patch('/config', {
    json: { ...patchOf(changes) },
    timeoutMs: ANSWER_MS,
  });
  if (baseline.value) keepBaseline(withAnswer(baseline.value, fields, answer.applied));
  await until(
    () => changes.every(({ path }) => same(valueAt(config.value.value, path), valueAt(answer.config, path))),
    TIMEOUT_MS,
  );
}

/** The reasons are at the fields; the sentence says where to look. */
function explained(error: unknown, { byField, others }: Refusal): unknown {
  if (byField.size === 0) return error;
  const detail = others.length > 0 ? others.join('; ') : undefined;
  return new ActionError(plural('settings.not_accepted', byField.size), detail);
}
