import { useEffect, useRef, useState } from 'preact/hooks';
import { connection, type DisplayState } from '../app/device-state.ts';
import { whatIsShown } from '../app/display-words.ts';
import { formatDuration } from '../app/format.ts';
import { language, t } from '../app/texts.ts';
import { keepThumbnail } from '../app/thumbnails.ts';
import { Badge } from './badge.tsx';
import { IconButton } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Spinner } from './spinner.tsx';
import { EmptyState } from './states.tsx';
import { type ScreenPicture, usePicture } from './use-picture.ts';

/** Age from which on a picture is no longer called live, in ms. */
const OLD_MS = 10_000;

/** A live picture of the screen. Pressing it shows it as large as possible. */
export function Picture({ state }: { state: DisplayState }) {
  const picture = usePicture(state);
  const [isLarge, setLarge] = useState(false);
  // Only a new picture: the state may be newer than the last one.
  const shown = useRef(state);
  shown.current = state;
  useEffect(() => {
    if (picture.address !== undefined) void keepThumbnail(shown.current, picture.address);
  }, [picture.address]);
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
        <img src={picture.address} alt={what} width={picture.width} height={picture.height} />
      </button>
      <figcaption class="picture-note">
        <PictureAge picture={picture} />
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

/** Whether the picture is what the screen shows now. */
export function PictureAge({ picture: { takenAt, hasFailed } }: { picture: ScreenPicture }) {
  const isOnline = connection.link.value.phase === 'online';
  // While there is no connection, this goes on every second.
  const now = isOnline ? performance.now() : connection.now.value;
  const ageMs = Math.max(0, now - takenAt);
  if (isOnline && (!hasFailed || ageMs < OLD_MS)) return <Badge level="good" text={t('picture.live')} />;
  const time = formatDuration(ageMs / 1000, language.value);
  return <Badge level="warning" text={t('picture.old', { time })} />;
}

/** In place of the first picture. */
export function NoPicture({ state, picture }: { state: DisplayState; picture: ScreenPicture }) {
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
