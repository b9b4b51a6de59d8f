import { useEffect, useRef, useState } from 'preact/hooks';
import { addToList, remember, rememberedList } from '../../app/storage.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../parts/button.tsx';
import { SegmentedField } from '../../parts/choice.tsx';
import { TextField } from '../../parts/field.tsx';
import { EmptyState } from '../../parts/states.tsx';
import { type Change, changeOf } from './changes.ts';
import { type Draft, hasConflict, isChange, rebased, settled, withDraft } from './drafts.ts';
import { FieldRow } from './field-row.tsx';
import { GroupCard } from './group-card.tsx';
import { type JsonObject, same, valueAt } from './json.ts';
import { SaveBar } from './save-bar.tsx';
import type { Field, Group } from './schema.ts';
import { matches } from './search.ts';
import { baseline, drafts } from './state.ts';
import { useSend } from './use-send.ts';
import { groupTitle } from './words.ts';

const OPEN = 'settings_groups';
const MOST_GROUPS = 50;

const FILTERS = ['all', 'changed', 'unsaved'] as const;
type Filter = (typeof FILTERS)[number];

interface FieldsProps {
  groups: readonly Group[];
  fields: readonly Field[];
  tree: JsonObject;
}

/** All settings in groups, which are found by words and saved together. */
export function Fields({ groups, fields, tree }: FieldsProps) {
  const [query, setQuery] = useState('');
  const [filter, setFilter] = useState<Filter>('all');
  const [open, setOpen] = useState(() => rememberedList(OPEN, MOST_GROUPS));
  /** Groups that the user has closed among those that were found. */
  const [closed, setClosed] = useState<readonly string[]>([]);
  const [round, setRound] = useState(0);
  /** Fields that were refused: they stay where they are while the user corrects them. */
  const [pinned, setPinned] = useState<ReadonlySet<string>>(new Set());
  const root = useRef<HTMLDivElement>(null);
  const sending = useSend(fields, (changes) => {
    forget(changes);
    // The button that had the focus is gone.
    const focused = document.activeElement;
    if (focused === document.body || focused?.closest('.settings-bar')) root.current?.focus();
  });
  const refusal = sending.refusal.value;
  const failure = sending.action.failure.value;
  const now = drafts.value;

  useEffect(() => {
    const paths = new Map(fields.map(({ name, path }) => [name, path]));
    drafts.value = settled(drafts.peek(), (name) => valueAt(tree, paths.get(name) ?? []));
  }, [tree, fields]);
  useEffect(() => setPinned((before) => new Set([...before, ...refusal.byField.keys()])), [refusal]);
  useEffect(() => {
    if (!failure) return;
    root.current?.querySelector<HTMLElement>('.settings-refused :is(input, select, textarea)')?.focus();
  }, [failure]);

  const edit = (name: string, draft: Draft | undefined) => {
    drafts.value = withDraft(drafts.peek(), name, draft);
    sending.corrected(name);
    // The control shows the value again that is not typed.
    if (!draft || draft.isReset) setRound((count) => count + 1);
  };
  const find = (words: string, wanted: Filter) => {
    setQuery(words);
    setFilter(wanted);
    setClosed([]);
    setPinned(new Set());
  };
  const isFinding = query.trim() !== '' || filter !== 'all';
  const isChanged = (field: Field) => !same(valueAt(tree, field.path), field.default);
  const isPinned = ({ name }: Field) => pinned.has(name) || refusal.byField.has(name);
  const isShown = (field: Field, title: string): boolean => {
    if (isPinned(field)) return true;
    const draft = now.get(field.name);
    if (filter === 'changed' && !isChanged(field)) return false;
    if (filter === 'unsaved' && !(draft && isChange(draft))) return false;
    return query.trim() === '' || matches(field, title, query);
  };
  const toggle = (name: string) => {
    const without = (list: readonly string[]) => list.filter((one) => one !== name);
    if (isFinding) {
      setClosed(closed.includes(name) ? without(closed) : [...closed, name]);
      return;
    }
    const next = open.includes(name) ? without(open) : addToList(open, name, MOST_GROUPS);
    setOpen(next);
    remember(OPEN, JSON.stringify(next));
  };

  const found = groups
    .map((group) => ({ group, shown: group.fields.filter((one) => isShown(one, groupTitle(group.name))) }))
    .filter(({ shown }) => shown.length > 0);
  const states = fields.flatMap((field) => {
    const draft = now.get(field.name);
    return draft && isChange(draft) ? [{ field, draft, current: valueAt(tree, field.path) }] : [];
  });
  const changes = states.flatMap(({ field, draft, current }): Change[] =>
    draft.problem ? [] : [changeOf(field, current, draft.value, draft.isReset)],
  );
  return (
    <div ref={root} class="settings-groups" tabIndex={-1}>
      <div class="settings-find">
        <TextField
          label={t('settings.search')}
          hint={t('settings.search_hint')}
          value={query}
          onInput={(words) => find(words, filter)}
        />
        <SegmentedField
          label={t('settings.filter')}
          value={filter}
          options={FILTERS.map((one) => [one, t(`settings.filter_${one}`)])}
          onChange={(wanted) => find(query, wanted)}
        />
      </div>
      {found.map(({ group, shown }) => (
        <GroupCard
          key={group.name}
          group={group}
          count={shown.length}
          changed={shown.filter(isChanged).length}
          isOpen={
            (isFinding ? !closed.includes(group.name) : open.includes(group.name)) || shown.some(isPinned)
          }
          onToggle={() => toggle(group.name)}
        >
          {shown.map((field) => (
            <FieldRow
              key={field.name}
              field={field}
              current={valueAt(tree, field.path)}
              draft={now.get(field.name)}
              refused={refusal.byField.get(field.name) ?? []}
              isLate={baseline.value?.answered.includes(field.name) ?? false}
              round={round}
              onEdit={(draft) => edit(field.name, draft)}
            />
          ))}
        </GroupCard>
      ))}
      {found.length === 0 && (
        <EmptyState icon="search" title={t('settings.none_found')}>
          <p>{t('settings.none_found_do')}</p>
          <Button onClick={() => find('', 'all')}>{t('settings.show_all')}</Button>
        </EmptyState>
      )}
      <SaveBar
        changes={changes}
        problems={states.filter(({ draft }) => draft.problem).length}
        conflicts={states.filter(({ draft, current }) => hasConflict(draft, current)).length}
        sending={sending}
        onDiscard={() => {
          drafts.value = new Map();
          sending.action.forget();
          setRound((count) => count + 1);
        }}
      />
    </div>
  );
}

/** Removes what was saved. What the user has changed again meanwhile is a change of the saved value. */
function forget(changes: readonly Change[]): void {
  const after = new Map(changes.map((change) => [change.name, change.after]));
  const kept = [...drafts.peek()].flatMap(([name, draft]): [string, Draft][] => {
    if (!after.has(name)) return [[name, draft]];
    const saved = after.get(name);
    return same(draft.value, saved) ? [] : [[name, rebased(draft, saved)]];
  });
  drafts.value = new Map(kept);
}
