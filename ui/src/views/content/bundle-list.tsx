import { type Content, content } from '../../app/device-state.ts';
import { formatBytes } from '../../app/format.ts';
import { storage } from '../../app/health-words.ts';
import { language, plural, t } from '../../app/texts.ts';
import { Badge, Meter } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import { FailureText } from '../../parts/failure-text.tsx';
import { Row } from '../../parts/field.tsx';
import { Items } from '../../parts/items.tsx';
import { EmptyState, Loaded } from '../../parts/states.tsx';
import { boot, useBootAction } from './boot.ts';
import { BundleItem } from './bundle-item.tsx';

/** The bundles of the device and the space that they take up. */
export function BundleList() {
  return (
    <Card title={t('show.bundles')}>
      <Loaded of={content} lines={6}>
        {(value) => (
          <div class="stack">
            <Space content={value} />
            <MissingAtBoot content={value} />
            {value.bundles.length === 0 ? (
              <EmptyState icon="bundle" title={t('show.no_bundles')}>
                {t('content.empty_do')}
              </EmptyState>
            ) : (
              <Items label={t('content.list')}>
                {value.bundles.map((bundle) => (
                  // Another one after it was replaced, so that what was found out about the old one is gone.
                  <BundleItem key={bundle.name + bundle.created} bundle={bundle} />
                ))}
              </Items>
            )}
          </div>
        )}
      </Loaded>
    </Card>
  );
}

function Space({ content: { bundles, disk } }: { content: Content }) {
  const { level, value, advice, used = 0 } = storage(disk, language.value);
  const bytes = bundles.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
  return (
    <div class="content-space">
      <div class="vital-head">
        <span class="vital-name">{t('health.storage')}</span>
        {level === 'good' || level === 'unknown' ? (
          <span class="vital-value">{value}</span>
        ) : (
          <Badge level={level} text={value} />
        )}
      </div>
      <Meter used={used} level={level} />
      <p class="soft small">
        {plural('content.taken', bundles.length, { size: formatBytes(bytes, language.value) })}
      </p>
      {advice && <p class="soft small">{advice}</p>}
    </div>
  );
}

/** The configuration names a bundle that the device does not have. */
function MissingAtBoot({ content: { bundles } }: { content: Content }) {
  const clear = useBootAction(null);
  const name = boot.value.value?.bundle ?? undefined;
  if (name === undefined || bundles.some((bundle) => bundle.name === name)) return null;
  return (
    <div class="stack">
      <div>
        <Badge level="warning" text={t('content.boot_missing', { name })} />
        <p class="soft small">{t('content.boot_missing_do')}</p>
      </div>
      <Row>
        <Button busy={clear.busy.value} onClick={() => void clear.start()}>
          {t('content.unboot')}
        </Button>
        <CopyAs
          what={t('content.unboot')}
          sample={{ method: 'PATCH', path: '/config', json: { display: { boot_bundle: null } } }}
        />
      </Row>
      <FailureText failure={clear.failure.value} />
    </div>
  );
}
