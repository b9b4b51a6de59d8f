import { useState } from 'preact/hooks';
import { useAction } from '../../app/actions.ts';
import { device } from '../../app/device-state.ts';
import { plural, t } from '../../app/texts.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import { Row } from '../../parts/field.tsx';
import { saveFile } from '../../parts/save-file.ts';
import type { JsonObject } from './json.ts';
import type { Field } from './schema.ts';
import { fileName, fileText, secretsIn, withoutSecretFields } from './transfer.ts';

/** The configuration as a file, without secrets unless the user wants them. */
export function ExportCard({ fields, tree }: { fields: readonly Field[]; tree: JsonObject }) {
  const [isAsking, setAsking] = useState(false);
  const secrets = secretsIn(tree, fields);
  const deviceName = device.value.value?.name ?? '';
  const save = (hasSecrets: boolean) => {
    const content = hasSecrets ? tree : withoutSecretFields(tree, fields);
    const file = new Blob([fileText(content)], { type: 'application/json' });
    saveFile(fileName(deviceName, hasSecrets), file);
  };
  const withSecrets = useAction({ showsFailure: true, run: async () => save(true) });
  return (
    <Card title={t('settings.export')}>
      <p class="soft">{t('settings.export_text')}</p>
      {secrets.length > 0 && (
        <p class="soft">
          {plural('settings.export_secrets', secrets.length, {
            names: secrets.map(({ name }) => name).join(', '),
          })}
        </p>
      )}
      <Row>
        <Button kind="primary" icon="download" onClick={() => save(false)}>
          {t('settings.export_plain')}
        </Button>
        {secrets.length > 0 && (
          <Button icon="lock" onClick={() => setAsking(true)}>
            {t('settings.export_all')}
          </Button>
        )}
        <CopyAs what={t('settings.export')} sample={{ method: 'GET', path: '/config' }} />
      </Row>
      {isAsking && (
        <Confirm
          title={t('settings.export_ask')}
          confirm={t('settings.export_all')}
          isDanger
          action={withSecrets}
          onClose={() => setAsking(false)}
        >
          <p>{t('settings.export_warning')}</p>
        </Confirm>
      )}
    </Card>
  );
}
