/** Why a device could not be paired, in words with what helps. */
import { RequestError } from '../../../../client/client.ts';
import { ActionError, failureOf } from '../../app/failure.ts';
import { type TextKey, t } from '../../app/texts.ts';

/**
 * Parts of the device's sentences (docs/radios.md). Their wording may change, so what matches none has a general text,
 * and the device's own words are shown, too.
 */
const REASONS: readonly (readonly [RegExp, TextKey])[] = [
  [/cannot be reached/i, 'bluetooth.unreachable'],
  [/not typed correctly|rejected|ended the pairing/i, 'bluetooth.refused'],
  [/did not finish|did not answer/i, 'bluetooth.late'],
  [/rfkill/i, 'bluetooth.blocked'],
];

/** @returns what to throw in place of what was thrown */
export function pairingFailure(error: unknown): unknown {
  if (!(error instanceof RequestError)) return error;
  const { detail } = failureOf(error);
  if (error.code === 'not_found') return new ActionError(t('bluetooth.gone'), detail);
  if (error.code === 'conflict') return new ActionError(t('bluetooth.busy'), detail);
  if (error.code !== 'unavailable') return error;
  const reason = REASONS.find(([pattern]) => pattern.test(detail ?? ''));
  return new ActionError(t(reason?.[1] ?? 'bluetooth.failed'), detail);
}
