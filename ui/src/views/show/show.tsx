import { connection, content, display, useResource } from '../../app/device-state.ts';
import { howItGoes, whatIsShown } from '../../app/display-words.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import { DisplayWords } from '../../parts/display-words.tsx';
import { Row } from '../../parts/field.tsx';
import { Picture } from '../../parts/picture.tsx';
import { Loaded } from '../../parts/states.tsx';
import { type Step, Steps } from '../../parts/steps.tsx';
import { View } from '../../parts/view.tsx';
import { AddressForm } from './address-form.tsx';
import { Choices } from './choices.tsx';
import { type Send, type Showing, useShow } from './use-show.ts';

/** What is on the screen, and everything that can be. */
export default function Show() {
  useResource(content);
  const showing = useShow();
  const { action } = showing;
  const client = connection.client;
  const isBusy = action.busy.value;
  return (
    <View title={t('show.title')}>
      <Card title={t('show.now')}>
        <Loaded of={display}>
          {(state) => (
            <div class="beside">
              <Picture state={state} />
              <div class="stack">
                <DisplayWords what={whatIsShown(state)} words={howItGoes(state)} />
                <Result showing={showing} />
                <Again isBusy={isBusy} start={action.start} />
              </div>
            </div>
          )}
        </Loaded>
      </Card>
      <div class="columns">
        <Card title={t('show.url')}>
          <AddressForm
            isBusy={isBusy}
            show={(url) => void action.start(() => client.post('/display/navigate', { json: { url } }))}
          />
        </Card>
        <Card title={t('show.bundles')}>
          <Choices
            isBusy={isBusy}
            showBundle={(name) => void action.start(() => client.post('/display/bundle', { json: { name } }))}
            showWaiting={() => void action.start(() => client.post('/display/waiting'))}
          />
        </Card>
      </div>
    </View>
  );
}

/** What can be done with what is shown. */
function Again({ isBusy, start }: { isBusy: boolean; start: (send: Send) => Promise<boolean> }) {
  const { client } = connection;
  return (
    <>
      <Row>
        <Button
          icon="reload"
          disabled={isBusy}
          onClick={() => void start(() => client.post('/display/reload'))}
        >
          {t('show.reload')}
        </Button>
        <CopyAs what={t('show.reload')} sample={{ method: 'POST', path: '/display/reload' }} />
        <Button
          icon="restart"
          disabled={isBusy}
          onClick={() => void start(() => client.post('/display/restart-browser'))}
        >
          {t('show.restart')}
        </Button>
        <CopyAs what={t('show.restart')} sample={{ method: 'POST', path: '/display/restart-browser' }} />
      </Row>
      <p class="soft small">{t('show.restart_text')}</p>
    </>
  );
}

/** How far the last request has come. */
function Result({ showing: { action, progress } }: { showing: Showing }) {
  const at = progress.value;
  // What the display says about a failure is above.
  const failure = at === 'failed' ? undefined : action.failure.value;
  return (
    <div role="status" class="stack result">
      {at !== undefined && <Steps label={t('show.title')} steps={stepsAt(at)} />}
      {failure && <p class="field-error">{failure.sentence}</p>}
      {failure?.detail && (
        <p class="soft small" lang="en">
          {failure.detail}
        </p>
      )}
    </div>
  );
}

function stepsAt(at: NonNullable<Showing['progress']['value']>): Step[] {
  if (at === 'failed' || at === 'replaced' || at === 'refused') {
    return [
      { text: t('show.sent'), state: 'done' },
      { text: t('show.failed'), state: 'failed' },
    ];
  }
  const position = { sent: 0, loading: 1, shown: 3 }[at];
  const texts = [t('show.sent'), t('show.loading'), t('show.on_screen')];
  return texts.map((text, index) => ({
    text,
    state: index < position ? 'done' : index === position ? 'running' : 'open',
  }));
}
