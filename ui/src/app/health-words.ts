/** The health of the device, in words. Pure, except for the language of the texts. */
import type { Health } from './device-state.ts';
import type { Level } from './display-words.ts';
import { formatBytes, formatTemperature } from './format.ts';
import { plural, type TextKey, t } from './texts.ts';

/** One value of the health report. */
export interface Vital {
  readonly name: TextKey;
  readonly level: Level;
  readonly value: string;
  /** What it means and what to do; undefined if it is good. */
  readonly advice: string | undefined;
  /** Share that is used, 0 to 1; undefined if it has no limit. */
  readonly used?: number;
}

/** Shares of free memory and storage below which they need attention, and below which they are a problem. */
const FREE_MEMORY = [0.15, 0.05] as const;
const FREE_STORAGE = [0.15, 0.05] as const;
/** Temperatures in °C above which it is hot, and above which the processor slows itself down. */
const HOT_C = [75, 82] as const;

/** The values that a person wants to know, in the order of importance. */
export function vitals(health: Health, language: string): Vital[] {
  return [
    browser(health.browser),
    memory(health.memory, language),
    storage(health.disk, language),
    temperature(health, language),
    clock(health.time_synced),
  ];
}

/** The worst of some levels; unknown values are no reason to worry. */
export function worst(levels: readonly Level[]): Level {
  if (levels.includes('bad')) return 'bad';
  return levels.includes('warning') ? 'warning' : 'good';
}

function browser({ running, restarts }: Health['browser']): Vital {
  const name = 'health.browser';
  if (!running) {
    return { name, level: 'bad', value: t('health.browser_stopped'), advice: t('health.browser_stopped_do') };
  }
  const value =
    restarts > 0 ? `${t('health.browser_running')}, ${plural('health.restarts', restarts)}` : undefined;
  return { name, level: 'good', value: value ?? t('health.browser_running'), advice: undefined };
}

function memory({ total_bytes, available_bytes }: Health['memory'], language: string): Vital {
  const texts = { name: 'health.memory', value: 'health.memory_value', advice: 'health.memory_low' } as const;
  return share(texts, available_bytes, total_bytes, FREE_MEMORY, language);
}

/** How full the storage is. */
export function storage({ total_bytes, free_bytes }: Health['disk'], language: string): Vital {
  const texts = {
    name: 'health.storage',
    value: 'health.storage_value',
    advice: 'health.storage_low',
  } as const;
  return share(texts, free_bytes, total_bytes, FREE_STORAGE, language);
}

function share(
  { name, value, advice }: Record<'name' | 'value' | 'advice', TextKey>,
  free: number | null,
  total: number | null,
  [few, fewest]: readonly [number, number],
  language: string,
): Vital {
  if (free === null || total === null || total <= 0) return notMeasured(name);
  const level = levelOf(-free / total, -few, -fewest);
  return {
    name,
    level,
    value: t(value, { free: formatBytes(free, language), total: formatBytes(total, language) }),
    advice: level === 'good' ? undefined : t(advice),
    used: Math.min(1, Math.max(0, 1 - free / total)),
  };
}

function temperature({ temperature_c, throttled, undervoltage }: Health, language: string): Vital {
  const name = 'health.temperature';
  const value =
    temperature_c === null ? t('health.not_measured') : formatTemperature(temperature_c, language);
  if (undervoltage) return { name, level: 'bad', value, advice: t('health.undervoltage') };
  if (throttled) return { name, level: 'bad', value, advice: t('health.throttled') };
  if (temperature_c === null) return notMeasured(name);
  const level = levelOf(temperature_c, ...HOT_C);
  return { name, level, value, advice: level === 'good' ? undefined : t('health.temperature_high') };
}

function clock(isSynced: boolean | null): Vital {
  const name = 'health.clock';
  if (isSynced === null) return notMeasured(name);
  // Without a network the clock is right only by chance, which is no fault of the device.
  if (!isSynced) return { name, level: 'unknown', value: t('health.clock_free'), advice: undefined };
  return { name, level: 'good', value: t('health.clock_synced'), advice: undefined };
}

function notMeasured(name: TextKey): Vital {
  return { name, level: 'unknown', value: t('health.not_measured'), advice: undefined };
}

/** @param value larger is worse */
function levelOf(value: number, warning: number, bad: number): Level {
  if (value >= bad) return 'bad';
  return value >= warning ? 'warning' : 'good';
}
