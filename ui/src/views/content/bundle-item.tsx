import { useState } from 'preact/hooks';
import { until, useAction } from '../../app/actions.ts';
import { type Content, connection, content } from '../../app/device-state.ts';
import { formatBytes, formatTime } from '../../app/format.ts';
import { language, t } from '../../app/texts.ts';
import { thumbnailChanges, thumbnailOf } from '../../app/thumbnails.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import { FailureText } from '../../parts/failure-text.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Item } from '../../parts/items.tsx';
import { useShow } from '../show/use-show.ts';
import { boot } from './boot.ts';
import { BundleDetails, type CheckResult } from './bundle-details.tsx';

const TIMEOUT_MS = 60_000;

/** A bundle of the device, and what can be done with it. */
export function BundleItem({ bundle }: { bundle: Content['bundles'][number] }) {
  const { name, size_bytes, created, active } = bundle;
  const [result, setResult] = useState<CheckResult>();
  const [isOpen, setOpen] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const show = useShow().action;
  const remove = useAction({
    showsFailure: true,
    run: async () => {
      await connection.client.delete('/content/{name}', { params: { name }, timeoutMs: TIMEOUT_MS });
      // No event tells about it.
      await content.refresh();
      await until(() => !content.value.value?.bundles.some((one) => one.name === name), TIMEOUT_MS);
    },
    done: () => t('content.deleted', { name }),
  });
  const startsAtBoot = boot.value.value?.bundle === name;
  const isDamaged = result?.ok === false;
  return (
    <Item
      picture={<Thumbnail name={name} />}
      title={name}
      text={`${formatBytes(size_bytes, language.value)} · ${formatTime(created, language.value)}`}
      badges={
        (active || startsAtBoot || isDamaged) && (
          <>
            {active && <Badge level="good" text={t('show.current')} />}
            {startsAtBoot && <Badge level="good" text={t('content.boots')} />}
            {isDamaged && <Badge level="bad" text={t('content.damaged')} />}
          </>
        )
      }
      actions={
        <>
          {!active && (
            <>
              <Button
                busy={show.busy.value}
                label={t('show.show_what', { what: name })}
                onClick={() =>
                  void show.start(() => connection.client.post('/display/bundle', { json: { name } }))
                }
              >
                {t('show.show')}
              </Button>
              <CopyAs
                what={t('show.show_what', { what: name })}
                sample={{ method: 'POST', path: '/display/bundle', json: { name } }}
              />
            </>
          )}
          <Button
            kind="quiet"
            icon="down"
            expanded={isOpen}
            label={`${t('app.more')}: ${name}`}
            onClick={() => setOpen(!isOpen)}
          >
            {t('app.more')}
          </Button>
        </>
      }
    >
      <FailureText failure={show.failure.value} />
      {isOpen && (
        <BundleDetails
          bundle={bundle}
          startsAtBoot={startsAtBoot}
          result={result}
          onResult={setResult}
          onDelete={() => setAsking(true)}
        />
      )}
      {isAsking && (
        <Confirm
          title={t('content.delete_title', { name })}
          confirm={t('content.delete')}
          isDanger
          action={remove}
          onClose={() => setAsking(false)}
        >
          <p>{t('content.delete_text')}</p>
          {startsAtBoot && <p>{t('content.delete_boot')}</p>}
        </Confirm>
      )}
    </Item>
  );
}

/** A small picture of the bundle, once it was seen on the screen. */
function Thumbnail({ name }: { name: string }) {
  // Shows new thumbnails.
  void thumbnailChanges.value;
  const address = thumbnailOf(name);
  return (
    <div class="tile-picture content-picture">
      {address ? <img src={address} alt="" /> : <Icon name="bundle" />}
    </div>
  );
}
