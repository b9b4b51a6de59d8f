/** Slots and updates in words. Pure, except for the language of the texts. */
import type { Level, Words } from '../../app/display-words.ts';
import { ActionError } from '../../app/failure.ts';
import { type TextKey, t } from '../../app/texts.ts';
import type { FleetStatus, SlotName, UpdateResult, UpdateStatus } from './slot-state.ts';

export interface SlotWords {
  readonly level: Level;
  readonly text: string;
  /** What that means. */
  readonly meaning: string;
}

/** The state of a slot. @param isInstalling whether the inactive slot is being written */
export function slotWords(status: UpdateStatus, name: SlotName, isInstalling: boolean): SlotWords {
  const words = (level: Level, key: SlotKey): SlotWords => ({
    level,
    text: t(`update.slot_${key}`),
    meaning: t(`update.slot_${key}_text`),
  });
  const { state, version } = status.slots[name];
  if (name === status.active_slot) {
    return state === 'good' ? words('good', 'runs') : words('unknown', 'tried');
  }
  if (isInstalling) return words('unknown', 'written');
  if (status.pending !== null) return words('unknown', 'pending');
  if (state === 'good') return words('good', 'ready');
  if (state === 'bad') return words('warning', version === null ? 'incomplete' : 'broken');
  return words('unknown', version === null ? 'empty' : 'starting');
}

type SlotKey =
  | 'runs'
  | 'tried'
  | 'written'
  | 'pending'
  | 'ready'
  | 'incomplete'
  | 'broken'
  | 'empty'
  | 'starting';

/** How the last update has ended, and what to do about it. */
export function resultWords({ outcome, version, slot, reason }: UpdateResult): Words {
  const values = { version: version ?? t('update.version_unknown'), slot: slot.toUpperCase() };
  if (outcome === 'success') {
    return {
      level: 'good',
      sentence: t('update.result_success', values),
      todo: undefined,
      detail: undefined,
    };
  }
  return {
    level: outcome === 'failed' ? 'warning' : 'bad',
    sentence: t(`update.result_${outcome}`, values),
    todo: reason ? `${t(`update.reason_${reason.code}`)} ${t(`update.reason_${reason.code}_do`)}` : undefined,
    detail: reason?.message,
  };
}

/** Codes of the device that have their own sentence for updates. */
const FAILURES: Readonly<Record<string, TextKey>> = {
  bad_request: 'update.failed_sending',
  bundle_invalid: 'update.failed_bundle',
  conflict: 'update.failed_conflict',
  insufficient_storage: 'update.failed_storage',
  unavailable: 'update.failed_interrupted',
};

/** Why an installation has failed. @param message the device's own words */
export function installFailure(code: string, message: string | undefined): ActionError {
  return new ActionError(t(FAILURES[code] ?? 'update.failed_internal'), message);
}

/** What the fleet client does, or waits for. */
export function fleetWords({ action, connected, last_poll_ts, error }: FleetStatus): Words {
  const detail = error?.message;
  if (error) {
    return {
      level: error.code === 'install' ? 'warning' : 'bad',
      sentence: t(`update.fleet_${error.code}`),
      todo: t(`update.fleet_${error.code}_do`),
      detail,
    };
  }
  if (action) {
    const sentence = t(`update.fleet_${action.phase}`, { version: action.version });
    return { level: 'unknown', sentence, todo: undefined, detail };
  }
  if (last_poll_ts === null)
    return { level: 'unknown', sentence: t('update.fleet_first'), todo: undefined, detail };
  if (!connected) return { level: 'warning', sentence: t('update.fleet_lost'), todo: undefined, detail };
  return { level: 'good', sentence: t('update.fleet_idle'), todo: undefined, detail };
}
