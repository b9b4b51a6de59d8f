import { connection, device, loadedVersion } from '../app/device-state.ts';
import { formatDuration } from '../app/format.ts';
import type { LinkState } from '../app/link-state.ts';
import { language, t } from '../app/texts.ts';
import { Banner } from '../parts/banner.tsx';
import { Button } from '../parts/button.tsx';

/** Above every view while there is no connection, and after the device was updated under the page. */
export function LinkBanner() {
  const link = connection.link.value;
  const version = device.value.value?.version;
  const isOffline = link.phase !== 'online' && (link.lostAt !== undefined || link.attempts > 0);
  return (
    <div role="status">
      {isOffline && (
        <Banner
          level="warning"
          icon="offline"
          actions={
            <Button kind="quiet" busy={link.phase === 'connecting'} onClick={connection.retry}>
              {t('link.retry')}
            </Button>
          }
        >
          <Lost link={link} />
        </Banner>
      )}
      {version !== undefined && version !== loadedVersion.value && (
        <Banner
          level="unknown"
          icon="reload"
          actions={
            <Button kind="quiet" onClick={() => location.reload()}>
              {t('app.reload')}
            </Button>
          }
        >
          {t('app.updated', { version })}
        </Banner>
      )}
    </div>
  );
}

/** The elapsed time is not read out each second. */
function Lost({ link: { lostAt, absence } }: { link: LinkState }) {
  if (lostAt === undefined || loadedVersion.value === undefined) return <>{t('link.first')}</>;
  const time = formatDuration((connection.now.value - lostAt) / 1000, language.value);
  return (
    <>
      <span class="hidden-text">{t('link.offline')}</span>
      <span aria-live="off">{t(absence ? `link.${absence.kind}` : 'link.lost', { time })}</span>
    </>
  );
}
