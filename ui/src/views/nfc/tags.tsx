import { useState } from 'preact/hooks';
import { plural, t } from '../../app/texts.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Item, Items } from '../../parts/items.tsx';
import { EmptyState } from '../../parts/states.tsx';
import { Commands } from './commands.tsx';
import type { Place, Reader, Tag } from './state.ts';
import { recordsIn, recordWords, spaced, tagKind } from './words.ts';
import { WriteDialog } from './write-dialog.tsx';

/** The tags that are at the readers now. */
export function Tags({ readers }: { readers: readonly Reader[] }) {
  const [written, setWritten] = useState<Place>();
  const present = readers.flatMap((reader) => reader.tags.map((tag) => ({ reader, tag })));
  return (
    <Card title={t('nfc.tags')}>
      {/* Screen readers are told that a tag has come, not all that is on it. */}
      <p class="hidden-text" role="status">
        {plural('nfc.count', present.length)}
      </p>
      {present.length === 0 && (
        <EmptyState icon="nfc" title={t('nfc.no_tags')}>
          {t(readers.some((reader) => reader.present) ? 'nfc.no_tags_do' : 'nfc.no_tags_reader')}
        </EmptyState>
      )}
      {present.length > 0 && (
        <Items label={t('nfc.tags')}>
          {present.map(({ reader, tag }) => (
            <TagItem
              key={`${reader.id} ${tag.uid}`}
              reader={reader}
              tag={tag}
              write={() => setWritten({ reader: reader.id, uid: tag.uid })}
            />
          ))}
        </Items>
      )}
      {written && <WriteDialog place={written} onClose={() => setWritten(undefined)} />}
    </Card>
  );
}

interface TagItemProps {
  reader: Reader;
  tag: Tag;
  write: () => void;
}

function TagItem({ reader, tag, write }: TagItemProps) {
  const { uid, atqa, sak, techs, ndef } = tag;
  return (
    <Item
      icon="nfc"
      title={spaced(uid)}
      text={
        <>
          <span class="line">{`${tagKind(tag)} · ${reader.id}`}</span>
          <span class="line">{`ATQA ${atqa} · SAK ${sak}`}</span>
        </>
      }
      actions={
        techs.includes('ndef') && (
          <Button icon="edit" label={t('nfc.write_what', { uid: spaced(uid) })} onClick={write}>
            {t('nfc.write')}
          </Button>
        )
      }
    >
      {ndef !== undefined && <Records ndef={ndef} />}
      {ndef === undefined && techs.includes('ndef') && <p class="soft">{t('nfc.nothing')}</p>}
      {techs.includes('iso-dep') && <Commands place={{ reader: reader.id, uid }} />}
    </Item>
  );
}

/** What is on a tag, as text: nothing of it is a link, since anyone can write tags. */
function Records({ ndef }: { ndef: string }) {
  const records = recordsIn(ndef);
  if (!records) return <p class="soft">{t('nfc.damaged')}</p>;
  return (
    <ol class="nfc-records" aria-label={t('nfc.content')}>
      {records.map((record, index) => {
        const { label, text } = recordWords(record);
        return (
          <li key={index}>
            <p class="soft small">{label}</p>
            <p class="nfc-text" dir="auto">
              {text}
            </p>
          </li>
        );
      })}
    </ol>
  );
}
