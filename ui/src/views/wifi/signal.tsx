import { t } from '../../app/texts.ts';
import { type Bars, barsOf } from './wifi-words.ts';

const ALL: readonly Bars[] = [1, 2, 3, 4];

/** How strong a signal is: bars, and the same in words. */
export function Signal({ dbm }: { dbm: number }) {
  const bars = barsOf(dbm);
  return (
    <span class="wifi-signal">
      <svg class="wifi-bars" viewBox="0 0 15 12" aria-hidden="true" focusable="false">
        {ALL.map((one) => (
          <rect
            key={one}
            class={one <= bars ? 'wifi-bar' : 'wifi-bar wifi-bar-off'}
            x={(one - 1) * 4}
            y={12 - one * 3}
            width="3"
            height={one * 3}
            rx="0.75"
          />
        ))}
      </svg>
      {t(`wifi.signal_${bars}`)} ({dbm} dBm)
    </span>
  );
}
