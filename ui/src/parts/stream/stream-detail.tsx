import { useEffect, useRef } from 'preact/hooks';
import { language, plural, t } from '../../app/texts.ts';
import { Button, IconButton } from '../button.tsx';
import { KeyValues } from '../card.tsx';
import { copy } from '../copy-as.tsx';
import { Row } from '../field.tsx';
import { type Entry, lineText } from './entry.ts';
import { indented } from './json-text.ts';
import { Marked } from './marked.tsx';
import { clock, gapWords } from './stream-list.tsx';

interface StreamDetailProps {
  entry: Entry;
  pattern: RegExp | undefined;
  /** How sources are called here. */
  sourceName: string;
  sourceText: (source: string) => string;
  /** Texts are JSON. */
  isJson: boolean;
  onClose: () => void;
}

/** All of one line. */
export function StreamDetail({ entry, pattern, sourceName, sourceText, isJson, onClose }: StreamDetailProps) {
  const element = useRef<HTMLElement>(null);
  // When it appears; while the user goes through the list, the page stays where it is.
  useEffect(() => element.current?.scrollIntoView({ block: 'nearest' }), []);
  const { text, cut } = isJson && entry.cut === 0 ? indented(entry.text) : { text: entry.text, cut: 0 };
  const rest = cut + entry.cut;
  return (
    <section ref={element} class="stream-detail" aria-label={t('stream.detail')}>
      <header class="stream-detail-head">
        <h3>{t('stream.detail')}</h3>
        <IconButton icon="close" label={t('stream.detail_close')} onClick={onClose} />
      </header>
      <KeyValues
        rows={[
          [t('stream.time'), `${day(entry.at)}, ${clock(entry.at)}`],
          ...(entry.level ? [[t('stream.level'), t(`stream.level_${entry.level}`)] as const] : []),
          [sourceName, sourceText(entry.source)],
          ...(entry.missing > 0 ? [[t('stream.before'), gapWords(entry.missing)] as const] : []),
        ]}
      />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <pre tabIndex={0}>
        <Marked text={text} pattern={pattern} />
      </pre>
      {rest > 0 && <p class="soft small">{plural('stream.cut', rest)}</p>}
      <Row>
        <Button icon="copy" onClick={() => void copy(isJson ? text : lineText(entry))}>
          {t('stream.copy_line')}
        </Button>
      </Row>
    </section>
  );
}

function day(at: number): string {
  return new Intl.DateTimeFormat(language.value, { dateStyle: 'medium' }).format(at);
}
