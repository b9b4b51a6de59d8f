import { useState } from 'preact/hooks';
import { plural, t } from '../../app/texts.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import { FailureText } from '../../parts/failure-text.tsx';
import { Row } from '../../parts/field.tsx';
import { FileDrop } from '../../parts/file-drop.tsx';
import { EmptyState } from '../../parts/states.tsx';
import { changesByFile, sampleOf } from './changes.ts';
import { ChangesList } from './changes-list.tsx';
import { readJson } from './drafts.ts';
import { isObject, type JsonObject, own } from './json.ts';
import type { Field } from './schema.ts';
import { MOST_BYTES } from './transfer.ts';
import { useSend } from './use-send.ts';
import { problemText } from './words.ts';

interface ImportProps {
  fields: readonly Field[];
  tree: JsonObject;
}

interface ImportedFile {
  readonly name: string;
  readonly content: JsonObject;
}

/** A configuration from a file: its differences are shown before anything is sent. */
export function ImportCard({ fields, tree }: ImportProps) {
  const [file, setFile] = useState<ImportedFile>();
  const [problem, setProblem] = useState<string>();
  const take = async (given: File) => {
    setFile(undefined);
    setProblem(undefined);
    try {
      setFile({ name: given.name, content: await contentOf(given, tree) });
    } catch (error) {
      setProblem(error instanceof FileProblem ? error.message : t('settings.import_unreadable'));
    }
  };
  return (
    <Card title={t('settings.import')}>
      <FileDrop
        label={t('settings.import_drop')}
        hint={t('settings.import_hint')}
        accept=".json,application/json"
        onFile={(given) => void take(given)}
      />
      <div role="alert" class="result">
        {problem && <p class="field-error">{problem}</p>}
      </div>
      {file && (
        <Differences
          key={file.name}
          file={file}
          fields={fields}
          tree={tree}
          onEnd={() => setFile(undefined)}
        />
      )}
    </Card>
  );
}

interface DifferencesProps extends ImportProps {
  file: ImportedFile;
  onEnd: () => void;
}

function Differences({ file, fields, tree, onEnd }: DifferencesProps) {
  const [leftOut, setLeftOut] = useState<ReadonlySet<string>>(new Set());
  const sending = useSend(fields, onEnd);
  const { action, refusal } = sending;
  const { changes, unknown } = changesByFile(file.content, tree, fields);
  const wanted = changes.filter(({ name }) => !leftOut.has(name));
  const choose = (name: string, isChosen: boolean) => {
    const names = new Set(leftOut);
    if (isChosen) names.delete(name);
    else names.add(name);
    setLeftOut(names);
    sending.corrected(name);
  };
  return (
    <div class="stack">
      <h3>{t('settings.import_file', { name: file.name })}</h3>
      {unknown.length > 0 && (
        <p class="settings-warning">
          {plural('settings.import_unknown', unknown.length, { names: unknown.slice(0, 20).join(', ') })}
        </p>
      )}
      {changes.length === 0 ? (
        <EmptyState icon="check" title={t('settings.import_same')} />
      ) : (
        <ChangesList changes={changes} refusal={refusal.value} leftOut={leftOut} onChoose={choose} />
      )}
      <FailureText failure={action.failure.value} />
      <Row>
        {changes.length > 0 && (
          <>
            <Button
              kind="primary"
              busy={action.busy.value}
              disabled={wanted.length === 0}
              onClick={() => void action.start(wanted)}
            >
              {plural('settings.import_apply', wanted.length)}
            </Button>
            <CopyAs
              what={t('settings.import')}
              sample={{ method: 'PATCH', path: '/config', json: sampleOf(wanted) }}
            />
          </>
        )}
        <Button kind="quiet" onClick={onEnd}>
          {t('app.cancel')}
        </Button>
      </Row>
    </div>
  );
}

/** Why a file is not taken, as a sentence. */
class FileProblem extends Error {}

/** @throws FileProblem if it is no configuration of this version */
async function contentOf(file: File, tree: JsonObject): Promise<JsonObject> {
  if (file.size > MOST_BYTES) throw new FileProblem(t('settings.import_large'));
  const read = readJson(await file.text(), true);
  if ('problem' in read) throw new FileProblem(problemText(read.problem));
  if (!isObject(read.value)) throw new FileProblem(t('settings.import_unreadable'));
  const version = own(read.value, 'schema') ?? tree.schema;
  if (version !== tree.schema) throw new FileProblem(t('settings.import_version'));
  return read.value;
}
