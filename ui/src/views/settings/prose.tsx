import type { ComponentChildren } from 'preact';
import { t } from '../../app/texts.ts';
import type { EntryPart } from './schema.ts';
import { split } from './search.ts';

/** Text of the schema, in English, with code between backticks. */
export function Prose({ text }: { text: string }) {
  return (
    <>
      {text.split('\n\n').map((paragraph) => (
        <p key={paragraph} lang="en">
          {withCode(paragraph)}
        </p>
      ))}
    </>
  );
}

interface DescriptionProps {
  text: string;
  /** What entries of a list or map have, and one of them. */
  entry?: readonly EntryPart[];
  example?: unknown;
  /** What is described, for screen readers. */
  what: string;
}

/** A description: its first sentences, and the rest when the user wants it. */
export function Description({ text, entry = [], example, what }: DescriptionProps) {
  const [lead, rest] = split(text);
  const hasMore = rest !== '' || entry.length > 0;
  if (lead === '' && !hasMore) return null;
  return (
    <div class="settings-prose">
      {lead !== '' && <Prose text={lead} />}
      {hasMore && (
        <details>
          <summary aria-label={`${t('app.more')}: ${what}`}>{t('app.more')}</summary>
          <div class="settings-prose">
            {rest !== '' && <Prose text={rest} />}
            {entry.length > 0 && <Entry entry={entry} example={example} />}
          </div>
        </details>
      )}
    </div>
  );
}

function Entry({ entry, example }: { entry: readonly EntryPart[]; example: unknown }) {
  const code = JSON.stringify(example, null, 2);
  return (
    <>
      <p>{t('settings.entry')}</p>
      <dl class="settings-entry" lang="en">
        {entry.map(({ name, text }) => (
          <div key={name}>
            <dt>
              <code>{name}</code>
            </dt>
            <dd>{withCode(text)}</dd>
          </div>
        ))}
      </dl>
      <p>{t('settings.example')}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <pre tabIndex={0}>{code}</pre>
    </>
  );
}

function withCode(text: string): ComponentChildren[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part));
}
