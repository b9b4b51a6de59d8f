import { health } from '../../app/device-state.ts';
import { Icon } from '../../parts/icon.tsx';

/** What the health report of the device says about a part of the screen, in English. @param about begins the sentence */
export function Problems({ about }: { about: string }) {
  const found = problemsAbout(about);
  if (found.length === 0) return null;
  return (
    <ul class="problems" lang="en">
      {found.map((problem) => (
        <li key={problem}>
          <Icon name="alert" />
          {problem}
        </li>
      ))}
    </ul>
  );
}

/** The sentences with this beginning (the agent's `problems`). */
export function problemsAbout(beginning: string): string[] {
  return health.value.value?.problems.filter((problem) => problem.startsWith(beginning)) ?? [];
}
