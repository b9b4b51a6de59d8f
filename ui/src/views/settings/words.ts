/** Values, groups and mistakes in the user's language. */
import { type TextKey, t } from '../../app/texts.ts';
import { withoutSecrets } from './changes.ts';
import type { Problem } from './drafts.ts';
import { isObject } from './json.ts';
import type { Field } from './schema.ts';

/** Longest value in a sentence, in characters. */
const MOST = 300;

const TITLES: Readonly<Record<string, TextKey>> = {
  device: 'settings.group_device',
  display: 'settings.group_display',
  browser: 'settings.group_browser',
  proxy: 'settings.group_proxy',
  audio: 'settings.group_audio',
  update: 'settings.group_update',
  input: 'settings.group_input',
  nfc: 'settings.group_nfc',
  wifi: 'settings.group_wifi',
  bluetooth: 'settings.group_bluetooth',
  devices: 'settings.group_devices',
  ui: 'settings.group_ui',
};

/** The title of a group; one of a later version has its own name. */
export function groupTitle(name: string): string {
  const key = TITLES[name];
  return key ? t(key) : name;
}

/** A value as people read it. Passphrases and tokens are not shown. */
export function valueText(field: Field | undefined, value: unknown): string {
  if (value === null || value === undefined) return t('settings.none');
  if (typeof value === 'boolean') return t(value ? 'settings.on' : 'settings.off');
  if (typeof value === 'number') return withUnit(value, field?.unit);
  if (value === '' || isEmpty(value)) return t('settings.empty');
  if (field?.kind === 'secret') return t('settings.secret');
  if (typeof value === 'string') return cut(withUnit(value, field?.unit));
  if (field?.kind === 'lines' && Array.isArray(value)) return cut(value.join(', '));
  return cut(JSON.stringify(withoutSecrets(value, () => t('settings.secret'))));
}

export function withUnit(value: string | number, unit: string | undefined): string {
  if (unit === undefined) return String(value);
  return unit === '°' ? `${value}°` : `${value} ${unit}`;
}

/** Why what was typed is no value. */
export function problemText({ kind, line }: Problem): string {
  return line === undefined ? t(`settings.problem_${kind}`) : t('settings.problem_line', { line });
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
}

function cut(text: string): string {
  return text.length <= MOST ? text : `${text.slice(0, MOST)}…`;
}
