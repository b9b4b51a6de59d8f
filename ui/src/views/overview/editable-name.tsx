import { useState } from 'preact/hooks';
import { until, useAction } from '../../app/actions.ts';
import { connection, device } from '../../app/device-state.ts';
import { t } from '../../app/texts.ts';
import { Button, IconButton } from '../../parts/button.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import { Row, TextField } from '../../parts/field.tsx';

const TIMEOUT_MS = 15_000;
/** Of `device.name` in the configuration. */
const MAX_LENGTH = 63;

/** A button beside the name of the device, and a field in its place when the name is to be changed. */
export function EditableName({ name }: { name: string }) {
  const [draft, setDraft] = useState<string>();
  const wanted = (draft ?? '').trim();
  const rename = useAction({
    showsFailure: true,
    run: async () => {
      await connection.client.patch('/config', { json: { device: { name: wanted } } });
      await until(() => device.value.value?.name === wanted, TIMEOUT_MS);
    },
    done: () => t('overview.renamed', { name: wanted }),
  });
  if (draft === undefined) {
    return <IconButton icon="edit" label={t('overview.rename')} onClick={() => setDraft(name)} />;
  }
  const close = () => {
    rename.forget();
    setDraft(undefined);
  };
  const save = async () => {
    if (wanted === '' || wanted === name || (await rename.start())) close();
  };
  const failure = rename.failure.value;
  return (
    <form
      class="editor"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
      onKeyDown={({ key }) => {
        if (key === 'Escape') close();
      }}
    >
      <TextField
        label={t('overview.name')}
        value={draft}
        onInput={setDraft}
        maxLength={MAX_LENGTH}
        hint={t('overview.name_hint')}
        error={failure && (failure.detail ?? failure.sentence)}
        focused
      />
      <Row>
        <Button kind="primary" type="submit" busy={rename.busy.value}>
          {t('app.save')}
        </Button>
        <Button kind="quiet" onClick={close}>
          {t('app.cancel')}
        </Button>
        <CopyAs
          what={t('overview.rename')}
          sample={{ method: 'PATCH', path: '/config', json: { device: { name: wanted || name } } }}
        />
      </Row>
    </form>
  );
}
