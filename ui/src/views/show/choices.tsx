import { type Content, content, display } from '../../app/device-state.ts';
import { formatBytes, formatTime } from '../../app/format.ts';
import { language, t } from '../../app/texts.ts';
import { thumbnailChanges, thumbnailOf } from '../../app/thumbnails.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Icon, type IconName } from '../../parts/icon.tsx';
import { EmptyState, Loaded } from '../../parts/states.tsx';

interface ChoicesProps {
  isBusy: boolean;
  showBundle: (name: string) => void;
  showWaiting: () => void;
}

/** What the device has itself: the waiting page and the stored bundles. */
export function Choices({ isBusy, showBundle, showWaiting }: ChoicesProps) {
  // Shows new thumbnails.
  void thumbnailChanges.value;
  return (
    <div class="stack">
      <ul class="tiles">
        <Tile
          icon="waiting"
          title={t('show.waiting')}
          text={t('show.waiting_text')}
          isShown={display.value.value?.mode === 'waiting'}
          isBusy={isBusy}
          show={showWaiting}
        />
        {content.value.value?.bundles.map((bundle) => (
          <Tile
            key={bundle.name}
            icon="bundle"
            thumbnail={thumbnailOf(bundle.name)}
            title={bundle.name}
            text={bundleText(bundle)}
            isShown={bundle.active}
            isBusy={isBusy}
            show={() => showBundle(bundle.name)}
          />
        ))}
      </ul>
      <Loaded of={content}>
        {({ bundles }) =>
          bundles.length === 0 && (
            <EmptyState icon="bundle" title={t('show.no_bundles')}>
              {t('show.no_bundles_do')}
            </EmptyState>
          )
        }
      </Loaded>
    </div>
  );
}

function bundleText({ size_bytes, created }: Content['bundles'][number]): string {
  return `${formatBytes(size_bytes, language.value)} · ${formatTime(created, language.value)}`;
}

interface TileProps {
  icon: IconName;
  /** Address of a small picture, in place of the icon. */
  thumbnail?: string | undefined;
  title: string;
  text: string;
  isShown: boolean;
  isBusy: boolean;
  show: () => void;
}

function Tile({ icon, thumbnail, title, text, isShown, isBusy, show }: TileProps) {
  return (
    <li class="tile">
      <div class="tile-picture">{thumbnail ? <img src={thumbnail} alt="" /> : <Icon name={icon} />}</div>
      <div class="tile-text">
        <p class="tile-title">{title}</p>
        <p class="soft small">{text}</p>
      </div>
      {isShown ? (
        <Badge level="good" text={t('show.current')} />
      ) : (
        <Button disabled={isBusy} label={t('show.show_what', { what: title })} onClick={show}>
          {t('show.show')}
        </Button>
      )}
    </li>
  );
}
