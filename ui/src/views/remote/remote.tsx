import type { Action } from '../../app/actions.ts';
import { useResource } from '../../app/device-state.ts';
import { t } from '../../app/texts.ts';
import { Banner } from '../../parts/banner.tsx';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import { FailureText } from '../../parts/failure-text.tsx';
import { Row } from '../../parts/field.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Loaded } from '../../parts/states.tsx';
import { View } from '../../parts/view.tsx';
import { Control } from './control.tsx';
import { remoteSetting, settingOf, useTurn } from './remote-setting.ts';

/** Pressing and typing on a picture of the screen, if that is allowed. */
export default function Remote() {
  useResource(remoteSetting);
  const turn = useTurn();
  return (
    <View title={t('remote.title')}>
      <Loaded of={remoteSetting} lines={6}>
        {(isOn) =>
          isOn ? (
            <>
              <SwitchedOn turn={turn} />
              <Control onDone={() => turn.forget()} />
            </>
          ) : (
            <SwitchedOff turn={turn} />
          )
        }
      </Loaded>
    </View>
  );
}

function SwitchedOff({ turn }: { turn: Action<[boolean]> }) {
  const risks = [t('remote.risk_acts'), t('remote.risk_seen'), t('remote.risk_end')];
  return (
    <Card title={t('remote.off')}>
      <p>{t('remote.what')}</p>
      <ul class="problems">
        {risks.map((risk) => (
          <li key={risk}>
            <Icon name="alert" />
            {risk}
          </li>
        ))}
      </ul>
      <p class="soft">{t('remote.cable')}</p>
      <FailureText failure={turn.failure.value} />
      <Row>
        <Button kind="primary" busy={turn.busy.value} onClick={() => void turn.start(true)}>
          {t('remote.turn_on')}
        </Button>
        <CopyAs
          what={t('remote.turn_on')}
          sample={{ method: 'PATCH', path: '/config', json: settingOf(true) }}
        />
      </Row>
    </Card>
  );
}

/** Reminds of the risk as long as it lasts. */
function SwitchedOn({ turn }: { turn: Action<[boolean]> }) {
  return (
    <div class="stack remote-on">
      <Banner
        level="warning"
        icon="alert"
        actions={
          <Row>
            <Button busy={turn.busy.value} onClick={() => void turn.start(false)}>
              {t('remote.turn_off')}
            </Button>
            <CopyAs
              what={t('remote.turn_off')}
              sample={{ method: 'PATCH', path: '/config', json: settingOf(false) }}
            />
          </Row>
        }
      >
        {t('remote.on')}
      </Banner>
      <FailureText failure={turn.failure.value} />
    </div>
  );
}
