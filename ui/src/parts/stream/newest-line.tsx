import { useEffect, useRef, useState } from 'preact/hooks';
import type { Entry } from './entry.ts';

/** Pause before a line after which it is read out, in ms: nobody can listen to more. */
const QUIET_MS = 3000;
const LONGEST = 200;

/** Reads the newest line out while lines come one by one, and nothing while they come faster. */
export function NewestLine({ entry }: { entry: Entry | undefined }) {
  const before = useRef({ id: -1, at: 0 });
  const [text, setText] = useState('');
  useEffect(() => {
    if (!entry) return;
    const { id, at } = before.current;
    const now = performance.now();
    before.current = { id: entry.id, at: now };
    const isSlow = id >= 0 && entry.id === id + 1 && now - at >= QUIET_MS;
    setText(isSlow ? entry.text.slice(0, LONGEST) : '');
  }, [entry]);
  return (
    <p class="hidden-text" role="log" aria-live={text === '' ? 'off' : 'polite'}>
      {text}
    </p>
  );
}
