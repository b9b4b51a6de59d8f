import { useState } from 'preact/hooks';
import { useAction } from '../../app/actions.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import { FailureText } from '../../parts/failure-text.tsx';
import { Row } from '../../parts/field.tsx';
import { type Step, Steps } from '../../parts/steps.tsx';
import type { Cut } from './certificate-words.ts';
import { PEM_TYPE, putServer } from './certificates-state.ts';
import { ChooseFiles, type ChosenFiles, useChosenFiles } from './chosen-files.tsx';
import { serverProblem } from './pem-files.ts';

/** Guides through the upload of a certificate with its key. */
export function UploadServer({ isReplacing, cut }: { isReplacing: boolean; cut: Cut }) {
  const chosen = useChosenFiles();
  const [isAsking, setAsking] = useState(false);
  const upload = useAction({
    showsFailure: true,
    run: async () => {
      await putServer(chosen.parts);
      chosen.clear();
    },
    done: () => t('certificates.server_used'),
  });
  const problem = serverProblem(chosen.parts);
  const isReady = chosen.areReadable && problem === undefined;
  const isBusy = upload.busy.value;
  const title = t(isReplacing ? 'certificates.server_replace' : 'certificates.server_upload');
  const failure = upload.failure.value;
  return (
    <div class="stack">
      <h3>{title}</h3>
      <ChooseFiles
        label={t('certificates.server_drop')}
        hint={t('certificates.server_drop_hint')}
        chosen={edited(chosen, () => upload.forget())}
        disabled={isBusy}
      />
      {chosen.files.length > 0 && (
        <Steps label={title} steps={stepsOf(chosen, isReady, isBusy, failure !== undefined)} />
      )}
      <div role="status" class="result">
        {chosen.files.length > 0 && chosen.areReadable && problem && (
          <p>{t(`certificates.server_${problem}`)}</p>
        )}
      </div>
      <p class="soft small">{t('certificates.trial')}</p>
      <FailureText failure={isAsking ? undefined : failure} />
      <Row>
        <Button
          kind="primary"
          busy={isBusy}
          disabled={!isReady}
          onClick={() => {
            if (isReplacing && cut !== 'none') setAsking(true);
            else void upload.start();
          }}
        >
          {t('certificates.server_use')}
        </Button>
        <CopyAs
          what={t('certificates.server_use')}
          sample={{
            method: 'PUT',
            path: '/files/certificates/server',
            file: { name: 'certificate-and-key.pem', type: PEM_TYPE },
          }}
        />
      </Row>
      {isAsking && (
        <Confirm
          title={t('certificates.replace_title')}
          confirm={t('certificates.server_use')}
          action={upload}
          onClose={() => setAsking(false)}
        >
          <p>{t('certificates.replace_text')}</p>
          {cut === 'name' && (
            <p class="field-error">{t('certificates.replace_name', { host: location.hostname })}</p>
          )}
        </Confirm>
      )}
    </div>
  );
}

/** The same files; a change of them makes what was said about the last upload void. */
function edited(chosen: ChosenFiles, onEdit: () => void): ChosenFiles {
  return {
    ...chosen,
    add: (files) => {
      onEdit();
      return chosen.add(files);
    },
    remove: (id) => {
      onEdit();
      chosen.remove(id);
    },
  };
}

function stepsOf({ parts }: ChosenFiles, isReady: boolean, isBusy: boolean, hasFailed: boolean): Step[] {
  const has = (kind: string): Step['state'] => (parts.some((one) => one.kind === kind) ? 'done' : 'open');
  const trial = isBusy ? 'running' : isReady && hasFailed ? 'failed' : 'open';
  return [
    { text: t('certificates.step_certificate'), state: has('certificate') },
    { text: t('certificates.step_key'), state: has('key') },
    { text: t('certificates.step_trial'), state: trial },
    { text: t('certificates.step_used'), state: 'open' },
  ];
}
