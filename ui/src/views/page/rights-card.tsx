import { display } from '../../app/device-state.ts';
import { VIEW_PATHS } from '../../app/paths.ts';
import { t } from '../../app/texts.ts';
import { Badge } from '../../parts/badge.tsx';
import { Card, KeyValues } from '../../parts/card.tsx';
import { Link } from '../../parts/link.tsx';
import { Loaded } from '../../parts/states.tsx';
import { config } from './page-state.ts';
import { originOf, type Right, rightsOf } from './rights.ts';

/** What the displayed page may do, and the way to where it is changed. */
export function RightsCard() {
  const change = (
    <Link to={VIEW_PATHS.settings} class="button button-quiet" label={t('page.rights_change')}>
      {t('page.change')}
    </Link>
  );
  return (
    <Card title={t('page.rights')} actions={change}>
      <Loaded of={display}>
        {(shown) => {
          const origin = originOf(shown);
          return (
            <>
              <p class="soft">
                {origin === undefined ? t('page.rights_waiting') : t('page.rights_of', { origin })}
              </p>
              <Loaded of={config} lines={7}>
                {(value) => (
                  <KeyValues
                    rows={[
                      ...rightsOf(value, shown).map(
                        (right) =>
                          [t(`page.right_${right.name}`), <State key={right.name} right={right} />] as const,
                      ),
                      [t('page.right_devices'), <State key="devices" />],
                    ]}
                  />
                )}
              </Loaded>
            </>
          );
        }}
      </Loaded>
    </Card>
  );
}

/** @param right undefined for what this version never gives */
function State({ right }: { right?: Right }) {
  if (!right) return <span class="soft">{t('page.right_never')}</span>;
  const { isOn, isRisk } = right;
  if (!isOn) return <span class="soft">{t(isRisk ? 'page.right_off' : 'page.right_denied')}</span>;
  return (
    <Badge level={isRisk ? 'warning' : 'good'} text={t(isRisk ? 'page.right_on' : 'page.right_allowed')} />
  );
}
