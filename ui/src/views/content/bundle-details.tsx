import type { ResponseOf } from '../../../../client/contract.ts';
import { useAction } from '../../app/actions.ts';
import { type Content, connection } from '../../app/device-state.ts';
import { t } from '../../app/texts.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { KeyValues } from '../../parts/card.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import { FailureText } from '../../parts/failure-text.tsx';
import { boot, useBootAction } from './boot.ts';

/** The device reads and unpacks the whole archive, which may be as large as its storage. */
const CHECK_MS = 30 * 60_000;

export type CheckResult = ResponseOf<'POST', '/content/{name}/check'>;

interface BundleDetailsProps {
  bundle: Content['bundles'][number];
  startsAtBoot: boolean;
  /** Of the last check; undefined before the first one. */
  result: CheckResult | undefined;
  onResult: (result: CheckResult | undefined) => void;
  onDelete: () => void;
}

/** What is needed seldom: the checksum, a check, the start at boot, and how to delete the bundle. */
export function BundleDetails({ bundle, startsAtBoot, result, onResult, onDelete }: BundleDetailsProps) {
  const { name, sha256, active } = bundle;
  const wanted = startsAtBoot ? null : name;
  const setBoot = useBootAction(wanted);
  const check = useAction({
    showsFailure: true,
    run: async () => {
      onResult(undefined);
      const options = { params: { name }, timeoutMs: CHECK_MS };
      onResult(await connection.client.post('/content/{name}/check', options));
    },
  });
  const bootText = t(startsAtBoot ? 'content.unboot' : 'content.boot');
  const labelled = (text: string) => `${text}: ${name}`;
  const checkLabel = labelled(t('content.check'));
  const bootLabel = labelled(bootText);
  const deleteLabel = labelled(t('content.delete'));
  return (
    <div class="stack content-details">
      <KeyValues rows={[[t('content.checksum'), <code key="sha256">{sha256}</code>]]} />
      <div class="content-actions">
        <span class="content-action">
          <Button busy={check.busy.value} label={checkLabel} onClick={() => void check.start()}>
            {t('content.check')}
          </Button>
          <CopyAs what={checkLabel} sample={{ method: 'POST', path: `/content/${name}/check` }} />
        </span>
        <span class="content-action">
          <Button busy={setBoot.busy.value} label={bootLabel} onClick={() => void setBoot.start()}>
            {bootText}
          </Button>
          <CopyAs
            what={bootLabel}
            sample={{ method: 'PATCH', path: '/config', json: { display: { boot_bundle: wanted } } }}
          />
        </span>
        <span class="content-action">
          <Button kind="danger" icon="remove" disabled={active} label={deleteLabel} onClick={onDelete}>
            {t('content.delete')}
          </Button>
          <CopyAs what={deleteLabel} sample={{ method: 'DELETE', path: `/content/${name}` }} />
        </span>
      </div>
      <div role="status" class="result">
        {result && <CheckWords result={result} />}
      </div>
      <FailureText failure={check.failure.value ?? setBoot.failure.value} />
      {startsAtBoot && boot.value.value?.resumes && <p class="soft small">{t('content.boot_resumes')}</p>}
      {active && <p class="soft small">{t('content.delete_active')}</p>}
    </div>
  );
}

function CheckWords({ result: { ok, message } }: { result: CheckResult }) {
  return (
    <>
      <Badge level={ok ? 'good' : 'bad'} text={t(ok ? 'content.whole' : 'content.damaged')} />
      {!ok && <p class="soft small">{t('content.damaged_do')}</p>}
      <p class="soft small" lang="en">
        {message}
      </p>
    </>
  );
}
