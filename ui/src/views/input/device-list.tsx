import { display } from '../../app/device-state.ts';
import { VIEW_PATHS } from '../../app/paths.ts';
import { language, plural, t } from '../../app/texts.ts';
import { Card } from '../../parts/card.tsx';
import { Icon, type IconName } from '../../parts/icon.tsx';
import { Item, Items } from '../../parts/items.tsx';
import { Link } from '../../parts/link.tsx';
import { EmptyState } from '../../parts/states.tsx';
import { layoutName } from './layouts.ts';
import { type InputDevice, settings } from './settings.ts';

const ICONS: Readonly<Record<InputDevice['kind'], IconName>> = {
  touch: 'screen',
  keyboard: 'input',
  pointer: 'remote',
  other: 'device',
};

/** What is connected, and what its input does. */
export function DeviceList({ devices }: { devices: readonly InputDevice[] }) {
  const main = (['touch', 'keyboard', 'pointer'] as const).flatMap((kind) =>
    devices.filter((device) => device.kind === kind),
  );
  const others = devices.filter(({ kind }) => kind === 'other');
  return (
    <Card title={t('input.devices')}>
      {main.length === 0 ? (
        <EmptyState icon="input" title={t('input.no_devices')}>
          <p>{t('input.no_devices_do')}</p>
          <Link to={VIEW_PATHS.bluetooth}>{t('input.go_bluetooth')}</Link>
        </EmptyState>
      ) : (
        <DeviceItems label={t('input.devices')} devices={main} />
      )}
      {others.length > 0 && (
        <details>
          <summary>
            <Icon name="down" />
            {plural('input.others', others.length)}
          </summary>
          <DeviceItems label={t('input.others_label')} devices={others} />
        </details>
      )}
    </Card>
  );
}

function DeviceItems({ label, devices }: { label: string; devices: readonly InputDevice[] }) {
  return (
    <Items label={label}>
      {devices.map((device) => (
        <Item
          key={device.id}
          icon={ICONS[device.kind]}
          title={device.name || device.id}
          text={
            <>
              <span class="line">{purposeOf(device.kind)}</span>
              <span class="line">{[device.node, ...usbId(device)].join(' · ')}</span>
            </>
          }
        />
      ))}
    </Items>
  );
}

/** What the input of a kind of devices does. */
function purposeOf(kind: InputDevice['kind']): string {
  const degrees = display.value.value?.rotation ?? 0;
  switch (kind) {
    case 'touch':
      return degrees === 0 ? t('input.use_touch') : t('input.use_touch_turned', { degrees });
    case 'keyboard': {
      const layout = settings.value.value?.layout;
      return t('input.use_keyboard', { layout: layout ? layoutName(layout, language.value) : '…' });
    }
    case 'pointer':
      return t('input.use_pointer');
    case 'other':
      return t('input.use_buttons');
  }
}

/** As people look it up: two numbers of four hexadecimal digits. */
function usbId({ vendor_id, product_id }: InputDevice): string[] {
  if (vendor_id === null || product_id === null) return [];
  return [`USB ${[vendor_id, product_id].map((id) => id.toString(16).padStart(4, '0')).join(':')}`];
}
