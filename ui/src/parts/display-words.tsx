import type { Words } from '../app/display-words.ts';
import { Badge } from './badge.tsx';

/** What is shown and how it goes, as sentences. */
export function DisplayWords({ what, words }: { what: string; words: Words }) {
  const { level, sentence, todo, detail } = words;
  return (
    <div class="shown" aria-live="polite">
      <p class="shown-what">{what}</p>
      {level === 'unknown' ? <p>{sentence}</p> : <Badge level={level} text={sentence} />}
      {todo && <p class="soft">{todo}</p>}
      {detail && (
        <p class="soft small" lang="en">
          {detail}
        </p>
      )}
    </div>
  );
}
