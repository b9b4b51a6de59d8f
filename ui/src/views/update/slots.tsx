import { formatTime } from '../../app/format.ts';
import { language, t } from '../../app/texts.ts';
import { Badge } from '../../parts/badge.tsx';
import { Card, KeyValues } from '../../parts/card.tsx';
import { otherSlot, type SlotName, type UpdateStatus } from './slot-state.ts';
import { installation } from './update-state.ts';
import { slotWords } from './update-words.ts';

const NAMES: readonly SlotName[] = ['a', 'b'];

/** Both slots: one runs, the other one takes the next update and is what the device goes back to. */
export function Slots({ status }: { status: UpdateStatus }) {
  const isInstalling = installation.value.value?.state === 'running' && isBeingWritten(status);
  return (
    <div class="update-slots">
      {NAMES.map((name) => (
        <Slot key={name} status={status} name={name} isInstalling={isInstalling} />
      ))}
    </div>
  );
}

/** A slot that is being written has neither a version nor a state; while a bundle arrives, it is as it was. */
function isBeingWritten({ active_slot, slots }: UpdateStatus): boolean {
  const { state, version } = slots[otherSlot(active_slot)];
  return state === 'unknown' && version === null;
}

interface SlotProps {
  status: UpdateStatus;
  name: SlotName;
  isInstalling: boolean;
}

function Slot({ status, name, isInstalling }: SlotProps) {
  const { level, text, meaning } = slotWords(status, name, isInstalling);
  const { version } = status.slots[name];
  const tried = status.last_result?.slot === name ? status.last_result : undefined;
  const rows: [string, string][] = [
    [t('device.version'), version ?? t('update.no_version')],
    [t('update.active'), t(name === status.active_slot ? 'update.active_yes' : 'update.active_no')],
  ];
  if (tried) rows.push([t('update.tried'), formatTime(tried.ts, language.value)]);
  return (
    <Card
      title={t('update.slot', { name: name.toUpperCase() })}
      actions={<Badge level={level} text={text} />}
    >
      <KeyValues rows={rows} />
      <p class="soft small">{meaning}</p>
    </Card>
  );
}

/** Says that the running version has still to prove itself. */
export function Trial({ status: { active_slot, slots } }: { status: UpdateStatus }) {
  const { state, version } = slots[active_slot];
  if (state !== 'unknown') return null;
  return (
    <Card title={t('update.trial')} class="card-warning">
      <p>{t('update.trial_text', { version: version ?? '' })}</p>
      <p>{t('update.trial_do')}</p>
    </Card>
  );
}
