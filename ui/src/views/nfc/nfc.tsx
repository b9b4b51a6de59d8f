import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useAction } from '../../app/actions.ts';
import { connection, useResource } from '../../app/device-state.ts';
import { language, t } from '../../app/texts.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Item, Items } from '../../parts/items.tsx';
import { Loaded } from '../../parts/states.tsx';
import { SwitchedOff } from '../../parts/switched-off.tsx';
import { View } from '../../parts/view.tsx';
import { enableSample, Readers } from './readers.tsx';
import { enable } from './requests.ts';
import { MOST_SEEN, nfc, type Reader, type Seen, withSeen } from './state.ts';
import { Tags } from './tags.tsx';
import { spaced, summaryOf } from './words.ts';

/** It outlives the view, which alone adds to it. */
const history = signal<readonly Seen[]>([]);

/** Readers, and the tags that are held to them. */
export default function Nfc() {
  useResource(nfc);
  return (
    <View title={t('nfc.title')}>
      <Loaded of={nfc} lines={6}>
        {(state) => (state.kind === 'disabled' ? <Disabled /> : <Enabled readers={state.readers} />)}
      </Loaded>
    </View>
  );
}

function Disabled() {
  const action = useAction({ showsFailure: true, run: () => enable(true) });
  return (
    <SwitchedOff
      icon="nfc"
      title={t('nfc.disabled')}
      text={t('nfc.disabled_text')}
      button={t('nfc.enable')}
      action={action}
      sample={enableSample(true)}
    />
  );
}

function Enabled({ readers }: { readers: readonly Reader[] }) {
  return (
    <div class="columns">
      <Tags readers={readers} />
      <div class="stack">
        <Readers readers={readers} />
        <History />
      </div>
    </div>
  );
}

/** The last tags that came while this was shown. */
function History() {
  useEffect(
    () =>
      connection.on('nfc_tag', (tag) => {
        history.value = withSeen(history.peek(), tag, Date.now());
      }),
    [],
  );
  const clear = history.value.length > 0 && (
    <Button
      kind="quiet"
      onClick={() => {
        history.value = [];
      }}
    >
      {t('nfc.clear')}
    </Button>
  );
  return (
    <Card title={t('nfc.history')} actions={clear}>
      {history.value.length > 0 && (
        <Items label={t('nfc.history')}>
          {history.value.map(({ id, at, reader, uid, ndef }) => (
            <Item
              key={id}
              title={spaced(uid)}
              text={
                <>
                  <span class="line">{`${timeOf(at)} · ${reader}`}</span>
                  <span class="line">{summaryOf(ndef)}</span>
                </>
              }
            />
          ))}
        </Items>
      )}
      <p class="soft small">{t('nfc.history_text', { most: MOST_SEEN })}</p>
    </Card>
  );
}

function timeOf(at: number): string {
  return new Intl.DateTimeFormat(language.value, { timeStyle: 'medium' }).format(at);
}
