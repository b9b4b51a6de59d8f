import { useAction } from '../../app/actions.ts';
import { useResource } from '../../app/device-state.ts';
import { failureOf, isAbsence } from '../../app/failure.ts';
import { VIEW_PATHS } from '../../app/paths.ts';
import { t } from '../../app/texts.ts';
import { Badge } from '../../parts/badge.tsx';
import { Card } from '../../parts/card.tsx';
import { Link } from '../../parts/link.tsx';
import { Loaded } from '../../parts/states.tsx';
import { SwitchAction } from '../../parts/switch-action.tsx';
import { View } from '../../parts/view.tsx';
import { Output } from './output.tsx';
import { audio, chosen, setMute } from './state.ts';
import { TestTone } from './test-tone.tsx';
import { Volume } from './volume.tsx';

/** Where sound is played, and how loud. */
export default function Sound() {
  useResource(audio);
  useResource(chosen);
  return (
    <View title={t('audio.title')}>
      <div class="columns">
        <Card title={t('audio.playback')} actions={<State />}>
          <Loaded of={audio} lines={6}>
            {(state) => (
              <>
                <Stopped />
                <Loaded of={chosen}>{(choice) => <Output audio={state} chosen={choice} />}</Loaded>
                <Volume volume={state.volume} />
                <Mute isOn={state.mute} />
              </>
            )}
          </Loaded>
        </Card>
        <Card title={t('audio.test')}>
          <TestTone />
          <ol class="audio-steps">
            <li>{t('audio.test_show')}</li>
            <li>{t('audio.test_volume')}</li>
            <li>{t('audio.test_screen')}</li>
          </ol>
          <div>
            <Link to={VIEW_PATHS.show} class="button button-secondary">
              {t('audio.go_show')}
            </Link>
          </div>
        </Card>
      </div>
    </View>
  );
}

/** Whether something can be heard. */
function State() {
  const state = audio.value.value;
  if (!state) return null;
  if (state.mute) return <Badge level="warning" text={t('audio.muted')} />;
  return state.volume === 0 ? <Badge level="warning" text={t('audio.silent')} /> : null;
}

/** The state is of before, since the sound server or the card has gone. */
function Stopped() {
  const error = audio.error.value;
  if (error === undefined || !isAbsence(error)) return null;
  const { detail } = failureOf(error);
  return (
    <div role="status">
      <Badge level="bad" text={t('audio.stopped')} />
      {detail && (
        <p class="soft small" lang="en">
          {detail}
        </p>
      )}
    </div>
  );
}

function Mute({ isOn }: { isOn: boolean }) {
  return (
    <SwitchAction
      label={t('audio.mute')}
      hint={t('audio.mute_hint')}
      isOn={isOn}
      action={useAction({ showsFailure: true, run: setMute })}
      sample={(mute) => ({ method: 'POST', path: '/audio', json: { mute } })}
    />
  );
}
