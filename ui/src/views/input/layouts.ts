/** Keyboard layouts by their names in XKB, for people. */
import { t } from '../../app/texts.ts';

/** Those that are offered; the image has data for more. */
export const LAYOUTS = [
  ...['us', 'us(intl)', 'gb', 'ie', 'ca', 'de', 'at', 'ch', 'ch(fr)', 'fr', 'be', 'nl', 'es', 'latam'],
  ...['it', 'pt', 'br', 'dk', 'se', 'no', 'fi', 'is', 'pl', 'cz', 'sk', 'hu', 'hr', 'si', 'ro', 'bg'],
  ...['gr', 'tr', 'ru', 'ua', 'il', 'jp', 'kr'],
] as const;

const LATIN_AMERICA = '419';

/** Whether this can be the name of a layout. The device knows whether it is one. */
export function isLayout(text: string): boolean {
  return /^[a-z]{2,8}(?:\([A-Za-z0-9_-]{1,32}\))?$/.test(text);
}

/** The name of the country, as the language has it, with the variant: `Switzerland, French (ch(fr))`. */
export function layoutName(layout: string, language: string): string {
  const [, country = '', variant = ''] = /^([a-z]+)(?:\((.*)\))?$/.exec(layout) ?? [];
  const code = country === 'latam' ? LATIN_AMERICA : country.toUpperCase();
  const name = /^(?:[A-Z]{2}|\d{3})$/.test(code)
    ? new Intl.DisplayNames(language, { type: 'region', fallback: 'none' }).of(code)
    : undefined;
  if (name === undefined) return layout;
  return `${[name, ...variantName(variant, language)].join(', ')} (${layout})`;
}

function variantName(variant: string, language: string): string[] {
  if (variant === 'intl') return [t('input.layout_intl')];
  const name = /^[a-z]{2}$/.test(variant)
    ? new Intl.DisplayNames(language, { type: 'language', fallback: 'none' }).of(variant)
    : undefined;
  return name === undefined ? [] : [name];
}
