import { useEffect, useRef } from 'preact/hooks';
import { useAction } from '../../app/actions.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { FailureText } from '../../parts/failure-text.tsx';
import { FileDrop } from '../../parts/file-drop.tsx';
import { Spinner } from '../../parts/spinner.tsx';
import { examine } from './chosen.ts';
import { ChosenPanel } from './chosen-panel.tsx';
import { type Picked, pickDropped, pickFile, pickFolder } from './picked.ts';
import { chosen, progress, uploading } from './upload.ts';
import { UploadProgress } from './upload-progress.tsx';

/** From choosing something to its storage on the device. */
export function UploadCard() {
  const picking = useAction<[pick: () => Picked | Promise<Picked>]>({
    showsFailure: true,
    run: async (pick) => {
      chosen.value = await examine(await pick());
      uploading.forget();
    },
  });
  const isBusy = picking.busy.value;
  const pick = (how: () => Picked | Promise<Picked>) => void picking.start(how);
  return (
    <Card title={t('content.upload_title')}>
      {progress.value ? (
        <UploadProgress progress={progress.value} />
      ) : chosen.value ? (
        <ChosenPanel chosen={chosen.value} pick={pick} />
      ) : (
        <div class="stack">
          <FileDrop
            label={t('content.drop')}
            hint={t('content.drop_hint')}
            accept=".zip,application/zip"
            disabled={isBusy}
            onFile={(file) => pick(() => pickFile(file))}
            onDropped={(transfer) => pick(() => pickDropped(transfer))}
            actions={<FolderButton disabled={isBusy} onFolder={(files) => pick(() => pickFolder(files))} />}
          />
          <div role="status" class="row result">
            {isBusy && <Spinner />}
            {isBusy && t('content.reading')}
          </div>
          <FailureText failure={picking.failure.value} />
        </div>
      )}
    </Card>
  );
}

interface FolderButtonProps {
  disabled: boolean;
  onFolder: (files: readonly File[]) => void;
}

function FolderButton({ disabled, onFolder }: FolderButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // Preact's types do not have it.
    if (input.current) input.current.webkitdirectory = true;
  }, []);
  return (
    <>
      <Button disabled={disabled} onClick={() => input.current?.click()}>
        {t('content.choose_folder')}
      </Button>
      <input
        ref={input}
        class="hidden-text"
        type="file"
        tabIndex={-1}
        aria-label={t('content.choose_folder')}
        disabled={disabled}
        onChange={({ currentTarget }) => {
          const files = [...(currentTarget.files ?? [])];
          // The same folder can be chosen again.
          currentTarget.value = '';
          onFolder(files);
        }}
      />
    </>
  );
}
