import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { language, plural, t } from '../../app/texts.ts';
import { Button } from '../button.tsx';
import { SelectField } from '../choice.tsx';
import { copy } from '../copy-as.tsx';
import { Row, TextField } from '../field.tsx';
import { EmptyState } from '../states.tsx';
import { type Entry, LEVELS, lineText } from './entry.ts';
import { NewestLine } from './newest-line.tsx';
import { saveText } from './save-text.ts';
import { LONGEST_QUERY } from './search.ts';
import type { Stream, StreamState } from './stream.ts';
import { StreamDetail } from './stream-detail.tsx';
import { StreamList } from './stream-list.tsx';

interface StreamPanelProps {
  stream: Stream;
  /** What the lines are. */
  label: string;
  /** Begins the name of the file in which they are saved. */
  file: string;
  /** What is shown before the first line: an {@link EmptyState}. */
  empty: ComponentChildren;
  /** How sources are called here. */
  sourceName: string;
  /** The choice of all sources; undefined if they cannot be chosen. */
  allSources?: string;
  /** A source as people read it. */
  sourceText?: (source: string) => string;
  /** The same for a row of the list, where there is little room. */
  shortSource?: (source: string) => string;
  /** Lines have levels. */
  hasLevels?: boolean;
  /** Texts are JSON. */
  isJson?: boolean;
  /** Lines that come one by one are read out. */
  isSpoken?: boolean;
}

/** Lines that arrive, with everything to find one: pause, filters, search, details, copy and a file. */
export function StreamPanel({
  stream,
  label,
  file,
  empty,
  sourceName,
  allSources,
  sourceText = (source) => source,
  shortSource = sourceText,
  hasLevels = false,
  isJson = false,
  isSpoken = false,
}: StreamPanelProps) {
  const [selected, setSelected] = useState<Entry>();
  const state = stream.state.value;
  const { rows, kept, pattern } = state;
  const isSearching = kept > 0 && rows.length === 0;
  return (
    <div class="stream">
      {kept > 0 && (
        <Filters
          stream={stream}
          state={state}
          label={label}
          sourceName={sourceName}
          allSources={allSources}
          sourceText={sourceText}
          hasLevels={hasLevels}
        />
      )}
      {(kept > 0 || state.pausedBy) && (
        <Controls stream={stream} state={state} file={file} onClear={() => setSelected(undefined)} />
      )}
      {kept === 0 && empty}
      {isSearching && (
        <EmptyState icon="search" title={t('stream.no_match')}>
          {t('stream.no_match_do')}
        </EmptyState>
      )}
      {rows.length > 0 && (
        <StreamList
          stream={stream}
          label={label}
          shortSource={shortSource}
          selected={selected}
          onSelect={setSelected}
        />
      )}
      {kept > 0 && <Counts state={state} />}
      {selected && (
        <StreamDetail
          entry={selected}
          pattern={pattern}
          sourceName={sourceName}
          sourceText={sourceText}
          isJson={isJson}
          onClose={() => setSelected(undefined)}
        />
      )}
      {isSpoken && <NewestLine entry={rows.at(-1)} />}
    </div>
  );
}

interface FiltersProps
  extends Required<Pick<StreamPanelProps, 'stream' | 'label' | 'sourceName' | 'sourceText' | 'hasLevels'>> {
  state: StreamState;
  allSources: string | undefined;
}

function Filters({ stream, state, label, sourceName, allSources, sourceText, hasLevels }: FiltersProps) {
  const { filter, sources } = state;
  // One that was chosen stays in the list when its lines are gone.
  const choices =
    sources.includes(filter.source) || filter.source === '' ? sources : [filter.source, ...sources];
  return (
    <fieldset class="stream-filters">
      <legend class="hidden-text">{t('stream.filters', { what: label })}</legend>
      <TextField
        label={t('stream.search')}
        value={filter.query}
        maxLength={LONGEST_QUERY}
        onInput={(query) => stream.choose({ query })}
      />
      {hasLevels && (
        <SelectField
          label={t('stream.level')}
          value={filter.level}
          options={LEVELS.map((level) => [level, t(`stream.from_${level}`)])}
          onChange={(level) => stream.choose({ level })}
        />
      )}
      {allSources !== undefined && (
        <SelectField
          label={sourceName}
          value={filter.source}
          options={[
            ['', allSources],
            ...choices.map((source): [string, string] => [source, sourceText(source)]),
          ]}
          onChange={(source) => stream.choose({ source })}
        />
      )}
    </fieldset>
  );
}

interface ControlsProps {
  stream: Stream;
  state: StreamState;
  file: string;
  onClear: () => void;
}

function Controls({ stream, state: { rows, pausedBy, waiting }, file, onClear }: ControlsProps) {
  const text = () => rows.map(lineText).join('\n');
  return (
    <Row>
      {pausedBy ? (
        <Button kind="primary" icon="play" onClick={() => stream.resume()}>
          {waiting > 0 ? plural('stream.resume', waiting) : t('stream.resume_now')}
        </Button>
      ) : (
        <Button icon="pause" onClick={() => stream.pause('user')}>
          {t('stream.pause')}
        </Button>
      )}
      <Button icon="copy" disabled={rows.length === 0} onClick={() => void copy(text())}>
        {t('stream.copy')}
      </Button>
      <Button icon="download" disabled={rows.length === 0} onClick={() => saveText(file, `${text()}\n`)}>
        {t('stream.download')}
      </Button>
      <Button
        kind="quiet"
        icon="remove"
        onClick={() => {
          stream.clear();
          onClear();
        }}
      >
        {t('stream.clear')}
      </Button>
    </Row>
  );
}

/** How many lines there are, and how many there are not. */
function Counts({ state: { rows, kept, removed, missing, pausedBy } }: { state: StreamState }) {
  const number = new Intl.NumberFormat(language.value);
  const sentences = [
    rows.length === kept
      ? plural('stream.count', kept)
      : t('stream.some', { shown: number.format(rows.length), kept: number.format(kept) }),
    removed > 0 && plural('stream.removed', removed),
    missing > 0 && plural('stream.missing', missing),
    pausedBy === 'scroll' && t('stream.scrolled'),
  ];
  return <p class="soft small stream-counts">{sentences.filter(Boolean).join(' ')}</p>;
}
