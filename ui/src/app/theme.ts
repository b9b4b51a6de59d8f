/** Light or dark: as the system has it, unless the user has chosen. */
import { type ReadonlySignal, signal } from '@preact/signals';
import { remember, remembered } from './storage.ts';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const current = signal<Theme>(THEMES.find((one) => one === remembered('theme')) ?? 'system');

export const theme: ReadonlySignal<Theme> = current;

/** Uses a theme from now on, and in later visits. */
export function chooseTheme(chosen: Theme): void {
  current.value = chosen;
  remember('theme', chosen === 'system' ? undefined : chosen);
  applyTheme();
}

/** Makes the styles follow the chosen theme. */
export function applyTheme(): void {
  const { dataset } = document.documentElement;
  if (current.value === 'system') delete dataset.theme;
  else dataset.theme = current.value;
}
