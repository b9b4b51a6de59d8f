/** Short messages about what has happened, which disappear by themselves. */
import { type ReadonlySignal, signal } from '@preact/signals';

export interface Toast {
  readonly id: number;
  readonly kind: 'good' | 'bad';
  readonly text: string;
}

/** How many are shown at a time. */
const MOST = 4;
/** How long a message stays, in ms. A failure stays until the user closes it. */
const SHOWN_MS = 6000;

const current = signal<readonly Toast[]>([]);
let lastId = 0;

export const toasts: ReadonlySignal<readonly Toast[]> = current;

/** Shows a message. */
export function toast(kind: Toast['kind'], text: string): void {
  lastId += 1;
  const id = lastId;
  current.value = [...current.value, { id, kind, text }].slice(-MOST);
  if (kind === 'good') setTimeout(() => dismiss(id), SHOWN_MS);
}

export function dismiss(id: number): void {
  current.value = current.value.filter((one) => one.id !== id);
}
