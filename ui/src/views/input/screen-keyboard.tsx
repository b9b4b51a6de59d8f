import { useAction } from '../../app/actions.ts';
import { LANGUAGES, t } from '../../app/texts.ts';
import { Card } from '../../parts/card.tsx';
import { SwitchAction } from '../../parts/switch-action.tsx';
import { SettingChoice } from './setting-choice.tsx';
import {
  change,
  type InputSettings,
  MODES,
  POINTERS,
  SCREEN_LAYOUTS,
  type ScreenLayout,
} from './settings.ts';

/** The keyboard on the screen, and its layouts. */
export function ScreenKeyboardCard({ settings }: { settings: InputSettings }) {
  const { screenKeyboard, screenLayouts } = settings;
  return (
    <Card title={t('input.screen_keyboard')}>
      <SettingChoice
        label={t('input.appears')}
        hint={t(`input.appears_${screenKeyboard}`)}
        value={screenKeyboard}
        options={MODES.map((one) => [one, t(`input.mode_${one}`)])}
        field="on_screen_keyboard"
        read={(now) => now.screenKeyboard}
      />
      <h3>{t('input.screen_layouts')}</h3>
      {SCREEN_LAYOUTS.map((layout) => (
        <LayoutSwitch key={layout} layout={layout} used={screenLayouts} />
      ))}
      <p class="soft small">{t('input.screen_layouts_hint')}</p>
    </Card>
  );
}

interface LayoutSwitchProps {
  layout: ScreenLayout;
  /** In the order of the language key. */
  used: readonly ScreenLayout[];
}

function LayoutSwitch({ layout, used }: LayoutSwitchProps) {
  const listWith = (isOn: boolean) => [...used.filter((one) => one !== layout), ...(isOn ? [layout] : [])];
  const action = useAction<[boolean]>({
    showsFailure: true,
    run: async (isOn) => {
      const isDone = (now: InputSettings) => now.screenLayouts.includes(layout) === isOn;
      await change('browser', 'keyboard_layouts', listWith(isOn), isDone);
    },
  });
  return (
    <SwitchAction
      label={LANGUAGES[layout]}
      isOn={used.includes(layout)}
      // The last one stays: there must be one.
      isFixed={used.length === 1 && used[0] === layout}
      action={action}
      sample={(isOn) => ({
        method: 'PATCH',
        path: '/config',
        json: { browser: { keyboard_layouts: listWith(isOn) } },
      })}
    />
  );
}

/** Whether a mouse pointer is shown. */
export function PointerCard({ settings: { pointer } }: { settings: InputSettings }) {
  return (
    <Card title={t('input.pointer')}>
      <SettingChoice
        label={t('input.pointer_shown')}
        hint={t(`input.shown_${pointer}`)}
        value={pointer}
        options={POINTERS.map((one) => [one, t(`input.pointer_${one}`)])}
        field="pointer"
        read={(now) => now.pointer}
      />
    </Card>
  );
}
