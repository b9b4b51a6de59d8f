import { signal } from '@preact/signals';
import { render } from 'preact';

const view = signal(0);
const root = document.getElementById('app');
void import('./texts/en.ts');
void import('./views/overview/overview.tsx').then(
  ({ default: Overview }) => root && render(<Overview key={view.value} />, root),
);
