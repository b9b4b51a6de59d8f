import { useEffect } from 'preact/hooks';
import { display, useResource } from '../../app/device-state.ts';
import { howItGoes, screenWords, whatIsShown } from '../../app/display-words.ts';
import { t } from '../../app/texts.ts';
import { Card } from '../../parts/card.tsx';
import { DisplayWords } from '../../parts/display-words.tsx';
import { Picture } from '../../parts/picture.tsx';
import { Loaded } from '../../parts/states.tsx';
import { View } from '../../parts/view.tsx';
import { ModeForm } from './mode-form.tsx';
import { Outputs } from './outputs.tsx';
import { PictureForm } from './picture-form.tsx';
import { Power } from './power.tsx';
import { Problems } from './problems.tsx';
import { Schedule } from './schedule.tsx';
import { primaryOf, screens, settings } from './screen-state.ts';
import { TrialDialog, TrialStatus } from './trial-dialog.tsx';
import { resumeTrial, tellTrial } from './trial-runner.ts';

/** The screen itself: how it is connected, how it shows the page, and when it is on. */
export default function Screens() {
  useResource(screens);
  useResource(settings);
  useEffect(() => {
    resumeTrial();
    // Whoever leaves the view has closed the question.
    return () => tellTrial({ type: 'close' });
  }, []);
  return (
    <View title={t('screens.title')}>
      <TrialStatus />
      <TrialDialog />
      <div class="columns">
        <div class="stack">
          <Now />
          <Shape />
        </div>
        <div class="stack">
          <Outputs />
          <Resolution />
          <Power />
        </div>
      </div>
      <Card title={t('screens.schedule')}>
        <Loaded of={settings} lines={7}>
          {(value) => <Schedule settings={value} />}
        </Loaded>
      </Card>
    </View>
  );
}

function Now() {
  return (
    <Card title={t('screens.now')}>
      <Loaded of={display} lines={8}>
        {(state) => (
          <div class="stack">
            <Picture state={state} />
            <DisplayWords what={whatIsShown(state)} words={howItGoes(state)} />
            {state.resolution !== null && <p class="soft small">{screenWords(state)}</p>}
            <Problems about="The screen is not used as configured" />
          </div>
        )}
      </Loaded>
    </Card>
  );
}

function Shape() {
  return (
    <Card title={t('screens.shape')}>
      <Loaded of={settings} lines={6}>
        {(value) => (
          // Which screen it is decides where its values are.
          <Loaded of={screens} lines={6}>
            {(list) => <PictureForm settings={value} screen={primaryOf(list)?.id} />}
          </Loaded>
        )}
      </Loaded>
    </Card>
  );
}

function Resolution() {
  return (
    <Card title={t('screens.mode')}>
      <Loaded of={settings} lines={4}>
        {(value) => (
          <Loaded of={screens} lines={4}>
            {(list) => <ModeForm settings={value} screen={primaryOf(list)} />}
          </Loaded>
        )}
      </Loaded>
    </Card>
  );
}
