/** The texts of the app in the user's language. Every text is in `ui/src/texts/`. */
import { type ReadonlySignal, signal } from '@preact/signals';
import type { Texts } from '../texts/en.ts';
import { remember, remembered } from './storage.ts';

/** The languages by their own names. */
export const LANGUAGES = { en: 'English', de: 'Deutsch', fr: 'Français', es: 'Español' } as const;
export type Language = keyof typeof LANGUAGES;
export type TextKey = keyof Texts;
/** Texts that depend on a number have a key for each plural form: `key_one`, `key_other`. */
export type PluralKey = TextKey extends infer K ? (K extends `${infer Base}_other` ? Base : never) : never;
export type Values = Readonly<Record<string, string | number>>;

/** Loads the texts of a language. */
const LOADERS: Record<Language, () => Promise<{ default: Texts }>> = {
  en: () => import('../texts/en.ts'),
  de: () => import('../texts/de.ts'),
  fr: () => import('../texts/fr.ts'),
  es: () => import('../texts/es.ts'),
};

interface Loaded {
  readonly language: Language;
  readonly texts: Texts;
}

const loaded = signal<Loaded | undefined>(undefined);
const chosen = signal<Language>('en');

/** The language that is shown. */
export const language: ReadonlySignal<Language> = chosen;

/** The first of the user's languages that the app has. */
export function languageFor(preferred: readonly string[]): Language {
  for (const tag of preferred) {
    const found = languages().find((one) => tag.toLowerCase().split('-')[0] === one);
    if (found) return found;
  }
  return 'en';
}

export function languages(): Language[] {
  return Object.keys(LANGUAGES) as Language[];
}

/** Loads the language that the user has chosen, else that of the browser. */
export async function startTexts(): Promise<void> {
  const stored = languages().find((one) => one === remembered('language'));
  await show(stored ?? languageFor(navigator.languages));
}

/** Uses a language from now on, and in later visits. @throws Error if its texts cannot be loaded */
export async function chooseLanguage(wanted: Language): Promise<void> {
  await show(wanted);
  remember('language', wanted);
}

async function show(wanted: Language): Promise<void> {
  const { default: texts } = await LOADERS[wanted]();
  loaded.value = { language: wanted, texts };
  chosen.value = wanted;
  document.documentElement.lang = wanted;
}

/** A text with its `{placeholders}` filled in. */
export function t(key: TextKey, values: Values = {}): string {
  return fill(loaded.value?.texts[key] ?? '', values);
}

/** A text that depends on a number, which is `{count}` in it. */
export function plural(key: PluralKey, count: number, values: Values = {}): string {
  const form = new Intl.PluralRules(language.value).select(count);
  const wanted: TextKey = form === 'one' ? `${key}_one` : `${key}_other`;
  return t(wanted, { count: formatNumber(count), ...values });
}

/** Puts values in place of `{name}`. */
export function fill(text: string, values: Values): string {
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    return value === undefined ? whole : String(value);
  });
}

function formatNumber(value: number): string {
  return new Intl.NumberFormat(language.value).format(value);
}
