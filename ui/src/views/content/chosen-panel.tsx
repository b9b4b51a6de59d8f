import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { bundleNameFor, isBundleName, MAX_NAME } from '../../../../client/bundle/bundle-name.ts';
import { useAction } from '../../app/actions.ts';
import { content } from '../../app/device-state.ts';
import { formatBytes } from '../../app/format.ts';
import { language, plural, t } from '../../app/texts.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import { FailureText } from '../../parts/failure-text.tsx';
import { Row, TextField } from '../../parts/field.tsx';
import { Item, Items } from '../../parts/items.tsx';
import { type Chosen, problemWords } from './chosen.ts';
import { onlyIn, type Picked } from './picked.ts';
import { chosen as kept, uploading } from './upload.ts';

interface ChosenPanelProps {
  chosen: Chosen;
  /** Chooses something else. */
  pick: (how: () => Picked) => void;
}

/** What was chosen: its name on the device, or why it cannot be uploaded. */
export function ChosenPanel({ chosen, pick }: ChosenPanelProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), [chosen]);
  const { picked, problem } = chosen;
  const words = problemWords(chosen);
  const folders = problem?.kind === 'inside' && picked.kind === 'files' ? problem.folders : [];
  const other = (
    <Button
      onClick={() => {
        kept.value = undefined;
        uploading.forget();
      }}
    >
      {t('content.other')}
    </Button>
  );
  return (
    <div class="stack">
      <h3 ref={heading} tabIndex={-1}>
        {t(problem ? 'content.not_ready' : 'content.ready')}
      </h3>
      <Items label={t('content.chosen')}>
        <Item
          icon={picked.kind === 'zip' ? 'bundle' : 'content'}
          title={picked.name || t('content.some_files')}
          text={aboutIt(chosen)}
        />
      </Items>
      {words === undefined ? (
        <NameForm key={picked.name} chosen={chosen}>
          {other}
        </NameForm>
      ) : (
        <>
          <p class="field-error">{words}</p>
          <Row>
            {folders.map((folder) => (
              <Button key={folder} onClick={() => pick(() => onlyIn(picked, folder))}>
                {t('content.use_folder', { folder })}
              </Button>
            ))}
            {other}
          </Row>
        </>
      )}
    </div>
  );
}

function aboutIt({ picked, count, bytes }: Chosen): string {
  const parts = [formatBytes(bytes, language.value)];
  if (count > 0) parts.unshift(plural('content.files', count));
  if (picked.kind === 'files' && picked.leftOut > 0) parts.push(plural('content.left_out', picked.leftOut));
  return parts.join(' · ');
}

/** The name, and the upload under it. A bundle that has the name is replaced only after a question. */
function NameForm({ chosen, children }: { chosen: Chosen; children: ComponentChildren }) {
  const [name, setName] = useState(() => bundleNameFor(chosen.picked.name));
  const [isAsking, setAsking] = useState(false);
  const replace = useAction({
    showsFailure: true,
    run: async () => void uploading.start(chosen, name),
  });
  const isValid = isBundleName(name);
  const existing = content.value.value?.bundles.find((bundle) => bundle.name === name);
  return (
    <form
      class="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!isValid) return;
        if (existing) setAsking(true);
        else void uploading.start(chosen, name);
      }}
    >
      <TextField
        label={t('content.name')}
        value={name}
        onInput={setName}
        maxLength={MAX_NAME}
        hint={t(existing ? 'content.name_taken' : 'content.name_hint')}
        error={isValid ? undefined : t('content.name_invalid')}
      />
      <FailureText failure={uploading.failure.value} />
      <Row>
        <Button kind="primary" type="submit" icon="upload" disabled={!isValid}>
          {t(existing ? 'content.replace' : 'content.upload')}
        </Button>
        <CopyAs
          what={t('content.upload')}
          sample={{
            method: 'PUT',
            path: `/content/${isValid ? name : 'NAME'}`,
            file: { name: `${isValid ? name : 'NAME'}.zip`, type: 'application/zip' },
          }}
        />
        {children}
      </Row>
      {isAsking && (
        <Confirm
          title={t('content.replace_title', { name })}
          confirm={t('content.replace')}
          action={replace}
          onClose={() => setAsking(false)}
        >
          <p>{t('content.replace_text')}</p>
          {existing?.active && <p>{t('content.replace_active')}</p>}
        </Confirm>
      )}
    </form>
  );
}
