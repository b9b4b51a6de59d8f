import { useState } from 'preact/hooks';
import { device } from '../../app/device-state.ts';
import { formatBytes } from '../../app/format.ts';
import { language, t } from '../../app/texts.ts';
import { Button } from '../../parts/button.tsx';
import { KeyValues } from '../../parts/card.tsx';
import { Checkbox } from '../../parts/choice.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import { Row } from '../../parts/field.tsx';
import { FileDrop } from '../../parts/file-drop.tsx';
import { type BundleFacts, type BundleFault, checkBundle } from './bundle-file.ts';
import { install, installBundle } from './installer.ts';
import { restart } from './restarter.ts';

const ACCEPT = '.raucb,application/octet-stream';
const UPLOAD = {
  method: 'PUT',
  path: '/update/bundle',
  file: { name: 'update.raucb', type: 'application/octet-stream' },
} as const;

/** A file that can be sent. */
export interface Chosen {
  readonly file: File;
  readonly facts: BundleFacts;
  /** The device is to restart into it at once. */
  readonly restarts: boolean;
}

interface BundleFormProps {
  chosen: Chosen | undefined;
  choose: (chosen: Chosen | undefined) => void;
  /** An update is installed already. */
  isPending: boolean;
}

/** Takes a file, checks it, and sends it if the user wants that. */
export function BundleForm({ chosen, choose, isPending }: BundleFormProps) {
  const [fault, setFault] = useState<BundleFault>();
  const take = async (file: File) => {
    // What has failed before is not about this file.
    install.forget();
    restart.forget();
    const checked = await checkBundle(file);
    setFault(checked.fault);
    choose(checked.facts && { file, facts: checked.facts, restarts: false });
  };
  if (chosen) return <ChosenBundle chosen={chosen} choose={choose} />;
  return (
    <div class="stack">
      <FileDrop
        label={t(isPending ? 'update.drop_another' : 'update.drop')}
        hint={t('update.drop_hint')}
        accept={ACCEPT}
        onFile={(file) => void take(file)}
      />
      <div role="alert" class="result">
        {fault && <p class="field-error">{t(`update.file_${fault}`)}</p>}
      </div>
    </div>
  );
}

/** What the file is, and the button that sends it. */
function ChosenBundle({ chosen, choose }: { chosen: Chosen; choose: BundleFormProps['choose'] }) {
  const { file, facts, restarts } = chosen;
  const begin = async () => {
    if (!(await installBundle(file))) return;
    choose(undefined);
    if (restarts) await restart.start();
  };
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void begin();
      }}
    >
      <KeyValues
        rows={[
          [t('update.file'), file.name],
          [t('update.file_size'), formatBytes(file.size, language.value)],
          [t('update.file_version'), facts.version ?? t('update.file_unknown')],
          [t('update.version_now'), device.value.value?.version ?? ''],
          [t('update.file_board'), facts.compatible ?? t('update.file_unknown')],
        ]}
      />
      <Checkbox
        label={t('update.restart_after')}
        hint={t('update.restart_after_hint')}
        isOn={restarts}
        onChange={(isOn) => choose({ ...chosen, restarts: isOn })}
      />
      <Row>
        <Button kind="primary" type="submit" icon="update">
          {t('update.install_now')}
        </Button>
        <CopyAs what={t('update.install_now')} sample={UPLOAD} />
        <Button kind="quiet" onClick={() => choose(undefined)}>
          {t('update.another_file')}
        </Button>
      </Row>
    </form>
  );
}
