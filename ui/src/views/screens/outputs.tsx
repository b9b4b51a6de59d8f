import { screenWords } from '../../app/display-words.ts';
import { t } from '../../app/texts.ts';
import { Badge } from '../../parts/badge.tsx';
import { IconButton } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import { Item, Items } from '../../parts/items.tsx';
import { EmptyState, Loaded } from '../../parts/states.tsx';
import { type Screen, screens } from './screen-state.ts';

/** All outputs of the device, and which one shows the page. */
export function Outputs() {
  const actions = (
    <div class="row">
      <IconButton icon="reload" label={t('screens.look_again')} onClick={() => void screens.refresh()} />
      <CopyAs what={t('screens.outputs')} sample={{ method: 'GET', path: '/display/screens' }} />
    </div>
  );
  return (
    <Card title={t('screens.outputs')} actions={actions}>
      <Loaded of={screens}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState icon="screen" title={t('screens.no_outputs')}>
              <p>{t('screens.no_outputs_do')}</p>
            </EmptyState>
          ) : (
            <>
              <Items label={t('screens.outputs')}>
                {list.map((screen) => (
                  <Output key={screen.id} screen={screen} />
                ))}
              </Items>
              <p class="soft small">{t('screens.which')}</p>
            </>
          )
        }
      </Loaded>
    </Card>
  );
}

function Output({ screen }: { screen: Screen }) {
  const { id, primary, connected, make, model } = screen;
  const name = [make, model].filter(Boolean).join(' ');
  const lines = [name, connected ? screenWords(screen) : ''].filter(Boolean);
  const stays = t(primary ? 'screens.shows_page' : 'screens.stays_dark');
  return (
    <Item
      icon="screen"
      title={id}
      text={lines.map((line) => (
        <span class="line" key={line}>
          {line}
        </span>
      ))}
      badges={
        connected ? (
          <Badge level={primary ? 'good' : 'unknown'} text={stays} />
        ) : (
          <Badge level="unknown" text={t('screens.unplugged')} />
        )
      }
    />
  );
}
