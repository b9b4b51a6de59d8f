import { VIEW_PATHS } from '../../app/paths.ts';
import { t } from '../../app/texts.ts';
import { Card } from '../../parts/card.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import { Row } from '../../parts/field.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Link } from '../../parts/link.tsx';
import { EmptyState, Loaded } from '../../parts/states.tsx';
import { StreamPanel } from '../../parts/stream/stream-panel.tsx';
import { View } from '../../parts/view.tsx';
import { logStream, STORED, stored, useLog } from './log-state.ts';

/** The log of the device: what it has stored, and what is added now. */
export default function Logs() {
  useLog();
  return (
    <View title={t('logs.title')}>
      <Card
        title={t('logs.live')}
        actions={
          <CopyAs what={t('logs.live')} sample={{ method: 'GET', path: `/device/logs?limit=${STORED}` }} />
        }
      >
        <p class="soft">{t('logs.about', { count: STORED })}</p>
        <Loaded of={stored} lines={8}>
          {() => (
            <StreamPanel
              stream={logStream}
              label={t('logs.live')}
              file="vitrine-log"
              sourceName={t('logs.program')}
              allSources={t('logs.all_programs')}
              hasLevels
              isSpoken
              empty={
                <EmptyState icon="logs" title={t('logs.empty')}>
                  {t('logs.empty_do')}
                </EmptyState>
              }
            />
          )}
        </Loaded>
      </Card>
      <Card title={t('logs.support')}>
        <p>{t('logs.support_text')}</p>
        <Row>
          <Link to={VIEW_PATHS.maintenance} class="button button-secondary">
            <Icon name="download" />
            {t('logs.archive')}
          </Link>
        </Row>
      </Card>
    </View>
  );
}
