import { until, useAction } from '../../app/actions.ts';
import { connection, display } from '../../app/device-state.ts';
import { howItGoes, progressOf } from '../../app/display-words.ts';
import { ActionError } from '../../app/failure.ts';
import { VIEW_PATHS } from '../../app/paths.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import { FailureText } from '../../parts/failure-text.tsx';
import { Row } from '../../parts/field.tsx';
import { Link } from '../../parts/link.tsx';

/** A browser has some seconds to start, and a page two minutes to load (docs of `load_timeout`). */
const TIMEOUT_MS = 140_000;

/** Starts the browser again, which is done when what was shown is on the screen again. */
export function BrowserCard() {
  const restart = useAction({
    showsFailure: true,
    run: async () => {
      const wanted = await connection.client.post('/display/restart-browser');
      // What was known before may be older than the answer.
      await display.refresh();
      await until(() => {
        const now = display.value.value;
        if (!now) return false;
        const progress = progressOf(wanted, now);
        if (progress === 'replaced') throw new ActionError(t('show.replaced'));
        // Between the old browser and the new one there is none.
        if (progress === 'failed' && now.error?.code !== 'browser_unavailable') {
          throw new ActionError(howItGoes(now).sentence, now.error?.message);
        }
        return progress === 'shown';
      }, TIMEOUT_MS);
    },
    done: () => t('maintenance.browser_done'),
  });
  return (
    <Card title={t('maintenance.browser')}>
      <p>{t('show.restart_text')}</p>
      <Row>
        <Button icon="restart" busy={restart.busy.value} onClick={() => void restart.start()}>
          {t('show.restart')}
        </Button>
        <CopyAs what={t('show.restart')} sample={{ method: 'POST', path: '/display/restart-browser' }} />
      </Row>
      <FailureText failure={restart.failure.value} />
      <p class="soft small">
        {t('maintenance.clear_data')} <Link to={VIEW_PATHS.page}>{t('page.title')}</Link>
      </p>
    </Card>
  );
}
