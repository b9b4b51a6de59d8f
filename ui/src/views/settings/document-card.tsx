import { useState } from 'preact/hooks';
import { plural, t } from '../../app/texts.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import { FailureText } from '../../parts/failure-text.tsx';
import { Row, TextArea } from '../../parts/field.tsx';
import { EmptyState } from '../../parts/states.tsx';
import { changesOf, sampleOf } from './changes.ts';
import { ChangesList } from './changes-list.tsx';
import { readJson } from './drafts.ts';
import { isObject, type JsonObject, patchBetween, same, valueAt } from './json.ts';
import type { Field } from './schema.ts';
import { edited } from './state.ts';
import { secretsIn } from './transfer.ts';
import { useSend } from './use-send.ts';
import { problemText } from './words.ts';

const ROWS = 24;

interface DocumentProps {
  fields: readonly Field[];
  tree: JsonObject;
}

/** The whole configuration as JSON. Only what the user changes in it is sent. */
export function DocumentCard({ fields, tree }: DocumentProps) {
  const [isRevealed, setRevealed] = useState(false);
  const isHidden = !isRevealed && edited.value === undefined && secretsIn(tree, fields).length > 0;
  return (
    <Card title={t('settings.document')}>
      <p class="soft">{t('settings.document_text')}</p>
      {isHidden ? (
        <EmptyState icon="lock" title={t('settings.document_hidden')}>
          <p>{t('settings.hidden')}</p>
          <Button icon="eye" onClick={() => setRevealed(true)}>
            {t('settings.document_show')}
          </Button>
        </EmptyState>
      ) : (
        <DocumentEditor fields={fields} tree={tree} />
      )}
    </Card>
  );
}

function DocumentEditor({ fields, tree }: DocumentProps) {
  const sending = useSend(fields, () => {
    edited.value = undefined;
  });
  const { action, refusal } = sending;
  const { text, base } = edited.value ?? { text: pretty(tree), base: tree };
  const read = readJson(text, true);
  // The version of the document stays, also if it is missing.
  const wanted = 'value' in read && isObject(read.value) ? { schema: base.schema, ...read.value } : base;
  // Only against what the user has seen: what others have changed meanwhile stays.
  const changes = changesOf(patchBetween(base, wanted), tree, fields);
  const conflicts = changes.filter(({ path }) => !same(valueAt(base, path), valueAt(tree, path)));
  const discard = () => {
    edited.value = undefined;
    action.forget();
  };
  return (
    <div class="stack">
      <TextArea
        label={t('settings.document_label')}
        isCode
        rows={ROWS}
        value={text}
        error={'problem' in read ? problemText(read.problem) : undefined}
        onInput={(typed) => {
          edited.value = { text: typed, base };
        }}
      />
      <h3>{t('settings.preview')}</h3>
      {changes.length === 0 ? (
        <p class="soft">{t('settings.preview_none')}</p>
      ) : (
        <ChangesList changes={changes} refusal={refusal.value} />
      )}
      {conflicts.length > 0 && (
        <p class="settings-warning" role="status">
          {plural('settings.document_conflicts', conflicts.length, {
            names: conflicts.map(({ name }) => name).join(', '),
          })}
        </p>
      )}
      <FailureText failure={action.failure.value} />
      <Row>
        <Button
          kind="primary"
          busy={action.busy.value}
          disabled={changes.length === 0 || 'problem' in read}
          onClick={() => void action.start(changes)}
        >
          {t('settings.send')}
        </Button>
        <CopyAs
          what={t('settings.send')}
          sample={{ method: 'PATCH', path: '/config', json: sampleOf(changes) }}
        />
        {edited.value && (
          <Button kind="quiet" onClick={discard}>
            {t('settings.discard')}
          </Button>
        )}
      </Row>
    </div>
  );
}

/** Whether the user has changed the document. */
export function isDocumentEdited(): boolean {
  const now = edited.value;
  return now !== undefined && now.text !== pretty(now.base);
}

function pretty(tree: JsonObject): string {
  return JSON.stringify(tree, null, 2);
}
