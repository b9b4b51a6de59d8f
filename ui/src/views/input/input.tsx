import { useResource } from '../../app/device-state.ts';
import { t } from '../../app/texts.ts';
import { Loaded } from '../../parts/states.tsx';
import { View } from '../../parts/view.tsx';
import { DeviceList } from './device-list.tsx';
import { KeyboardCard } from './keyboard-card.tsx';
import { PointerCard, ScreenKeyboardCard } from './screen-keyboard.tsx';
import { inputDevices, settings } from './settings.ts';
import { TouchTest } from './touch-test.tsx';

/** Keyboards, mice and touch screens at the device. */
export default function Input() {
  useResource(inputDevices);
  useResource(settings);
  return (
    <View title={t('input.title')}>
      <div class="columns">
        <div class="stack">
          <Loaded of={inputDevices} lines={5}>
            {(devices) => (
              <>
                <DeviceList devices={devices} />
                <TouchTest devices={devices} />
              </>
            )}
          </Loaded>
        </div>
        <div class="stack">
          <Loaded of={settings} lines={5}>
            {(value) => (
              <>
                <KeyboardCard layout={value.layout} />
                <ScreenKeyboardCard settings={value} />
                <PointerCard settings={value} />
              </>
            )}
          </Loaded>
        </div>
      </div>
    </View>
  );
}
