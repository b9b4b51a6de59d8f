import { type TextKey, t } from '../../app/texts.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import { FailureText } from '../../parts/failure-text.tsx';
import { Row } from '../../parts/field.tsx';
import { chord, type Key, type Modifier, type PlainKey } from './inputs.ts';
import type { InputSender } from './sender.ts';

type Keys = readonly [key: PlainKey, ...modifiers: Modifier[]];

const GROUPS: readonly { readonly title: TextKey; readonly keys: readonly Keys[] }[] = [
  {
    title: 'remote.keys_edit',
    keys: [['Escape'], ['Tab'], ['Enter'], ['Backspace'], ['Delete']],
  },
  {
    title: 'remote.keys_move',
    keys: [
      ...([['ArrowLeft'], ['ArrowRight'], ['ArrowUp'], ['ArrowDown']] as const),
      ...([['Home'], ['End'], ['PageUp'], ['PageDown']] as const),
    ],
  },
  {
    title: 'remote.keys_together',
    keys: [
      ...([
        ['Tab', 'Shift'],
        ['Home', 'Control'],
        ['End', 'Control'],
      ] as const),
      ...([
        ['Backspace', 'Control'],
        ['Enter', 'Control'],
      ] as const),
    ],
  },
];
/** Keys that everybody knows by their sign. */
const SIGNS: Partial<Record<Key, string>> = {
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
};

/** Keys that a phone does not have, or that the browser keeps for itself. */
export function KeyButtons({ sender }: { sender: InputSender }) {
  return (
    <Card
      title={t('remote.keys')}
      actions={
        <CopyAs
          what={t('remote.keys')}
          sample={{
            method: 'POST',
            path: '/input/inject',
            json: { events: chord('Home', ['Control']) },
          }}
        />
      }
    >
      {GROUPS.map(({ title, keys }) => (
        <div key={title} class="remote-keys">
          <h3>{t(title)}</h3>
          <Row>
            {keys.map(([key, ...modifiers]) => {
              const all = [...modifiers, key];
              const label = all.map((one) => t(`remote.key_${one}`)).join(' + ');
              const text = all.map((one) => SIGNS[one] ?? t(`remote.key_${one}`)).join(' + ');
              return (
                <Button key={label} label={label} onClick={() => sender.do('keys', chord(key, modifiers))}>
                  {text}
                </Button>
              );
            })}
          </Row>
        </div>
      ))}
      <FailureText failure={sender.failureOf('keys')} />
    </Card>
  );
}
