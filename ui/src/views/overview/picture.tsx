import { useState } from 'preact/hooks';
import type { DisplayState } from '../../app/device-state.ts';
import { whatIsShown } from '../../app/display-words.ts';
import { formatDuration } from '../../app/format.ts';
import { language, t } from '../../app/texts.ts';
import { Badge } from '../../parts/badge.tsx';
import { IconButton } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { EmptyState, Spinner } from '../../parts/states.tsx';
import { type ScreenPicture, usePicture } from './use-picture.ts';

/** A live picture of the screen. Pressing it shows it as large as possible. */
export function Picture({ state }: { state: DisplayState }) {
  const picture = usePicture(state);
  const [isLarge, setLarge] = useState(false);
  const what = t('picture.alt', { what: whatIsShown(state) });
  if (picture.address === undefined) return <NoPicture state={state} picture={picture} />;
  return (
    <figure class={state.loading ? 'picture picture-loading' : 'picture'}>
      <button
        type="button"
        class="picture-button"
        aria-label={t('picture.enlarge')}
        onClick={() => setLarge(true)}
      >
        <img src={picture.address} alt={what} />
      </button>
      <figcaption class="picture-note">
        {picture.ageS === undefined ? (
          <Badge level="good" text={t('picture.live')} />
        ) : (
          <Badge
            level="warning"
            text={t('picture.old', { time: formatDuration(picture.ageS, language.value) })}
          />
        )}
      </figcaption>
      {isLarge && (
        <Dialog class="full-screen" label={t('picture.enlarged')} onClose={() => setLarge(false)}>
          <img src={picture.address} alt={what} />
          <IconButton icon="close" label={t('app.close')} onClick={() => setLarge(false)} />
        </Dialog>
      )}
    </figure>
  );
}

function NoPicture({ state, picture }: { state: DisplayState; picture: ScreenPicture }) {
  return (
    <div class="picture picture-none">
      {picture.hasFailed ? (
        <EmptyState icon="screen" title={t('picture.none')}>
          {state.error === null && <p>{t('picture.failed')}</p>}
        </EmptyState>
      ) : (
        <Spinner />
      )}
    </div>
  );
}
