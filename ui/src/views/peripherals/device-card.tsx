import type { Peripheral } from '../../../../client/peripheral-permissions.ts';
import { groupIn } from '../../app/config-values.ts';
import { t } from '../../app/texts.ts';
import { Badge } from '../../parts/badge.tsx';
import { Card } from '../../parts/card.tsx';
import { Item, Items } from '../../parts/items.tsx';
import { AllowButton } from './allow-button.tsx';
import type { Device, Peripherals } from './devices.ts';
import { RemoveButton } from './remove-button.tsx';
import { listOf, nameOf, partText } from './words.ts';

interface DeviceCardProps {
  device: Device;
  state: Peripherals;
  /** The whole configuration. */
  config: unknown;
}

/** One device with what pages could use of it. */
export function DeviceCard({ device, state, config }: DeviceCardProps) {
  const { manufacturer, ids, serialNumber, parts } = device;
  const name = nameOf(device);
  const serial = serialNumber === null ? undefined : t('peripherals.serial_number', { number: serialNumber });
  const facts = [manufacturer === name ? undefined : manufacturer, ids, serial].filter((fact) => fact);
  return (
    <Card title={name}>
      {facts.length > 0 && <p class="soft small">{facts.join(' · ')}</p>}
      <Items label={name}>
        {parts.map((part) => (
          <Part key={part.id} part={part} name={name} state={state} config={config} />
        ))}
      </Items>
    </Card>
  );
}

interface PartProps {
  part: Peripheral;
  /** Of its device. */
  name: string;
  state: Peripherals;
  config: unknown;
}

function Part({ part, name, state, config }: PartProps) {
  const { page_origin: displayed } = state;
  const mayBeAllowed = displayed !== null && part.state !== 'protected' && !part.origins.includes(displayed);
  const hasActions = mayBeAllowed || part.rule !== null;
  return (
    <Item
      title={t(`peripherals.kind_${part.kind}`)}
      text={partText(part)}
      badges={<PartState part={part} />}
      actions={
        hasActions && (
          <>
            {mayBeAllowed && (
              <AllowButton part={part} name={name} origin={displayed} state={state} config={config} />
            )}
            {part.rule !== null && <RemoveButton part={part} name={name} state={state} config={config} />}
          </>
        )
      }
    >
      <div class="peripherals-reason small">
        <Reason part={part} displayed={displayed} config={config} />
        {part.open_by !== null && <p>{t('peripherals.open_by', { origin: part.open_by })}</p>}
      </div>
    </Item>
  );
}

function PartState({ part: { state, open_by } }: { part: Peripheral }) {
  if (open_by !== null) return <Badge level="good" text={t('peripherals.open')} />;
  if (state === 'allowed') return <Badge level="good" text={t('peripherals.allowed')} />;
  if (state === 'disabled') return <Badge level="warning" text={t('peripherals.disabled')} />;
  return <span class="soft small">{t(`peripherals.${state}`)}</span>;
}

interface ReasonProps {
  part: Peripheral;
  displayed: string | null;
  config: unknown;
}

/** Who may use it, or why nobody may. */
function Reason({ part: { state, kind, origins, reason }, displayed, config }: ReasonProps) {
  switch (state) {
    case 'allowed':
      return (
        <>
          <p>{t('peripherals.allowed_for', { origins: listOf(origins) })}</p>
          {displayed !== null && !origins.includes(displayed) && (
            <p>{t('peripherals.not_this_page', { origin: displayed })}</p>
          )}
        </>
      );
    case 'disabled': {
      const isOn = groupIn(groupIn(config, 'devices'), kind).enabled === true;
      return <p>{t(isOn ? 'peripherals.no_origin' : 'peripherals.kind_off')}</p>;
    }
    case 'not_allowed':
      return <p>{t('peripherals.no_entry')}</p>;
    case 'protected':
      return (
        <>
          <p>{t('peripherals.never')}</p>
          {reason !== null && (
            <p class="soft" lang="en">
              {reason}
            </p>
          )}
        </>
      );
  }
}
