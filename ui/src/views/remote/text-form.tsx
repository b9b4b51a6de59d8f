import { useState } from 'preact/hooks';
import { useAction } from '../../app/actions.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import { FailureText } from '../../parts/failure-text.tsx';
import { Row, TextField } from '../../parts/field.tsx';
import { MAX_TEXT } from './inputs.ts';
import type { InputSender } from './sender.ts';

/** In place of what was typed, which can be a password. */
const EXAMPLE = 'TEXT';

/** A field for a whole text: for phones, and for languages whose characters are composed. */
export function TextForm({ sender }: { sender: InputSender }) {
  const [text, setText] = useState('');
  const send = useAction({
    showsFailure: true,
    run: async () => {
      await sender.finishTyping(text);
      setText('');
    },
    done: () => t('remote.text_sent'),
  });
  return (
    <Card title={t('remote.text_card')}>
      <form
        class="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (text !== '') void send.start();
        }}
      >
        <TextField
          label={t('remote.text')}
          hint={t('remote.text_hint')}
          value={text}
          maxLength={MAX_TEXT}
          onInput={(typed) => {
            setText(typed);
            send.forget();
          }}
        />
        <FailureText failure={send.failure.value} />
        <Row>
          <Button kind="primary" type="submit" busy={send.busy.value} disabled={text === ''}>
            {t('remote.send')}
          </Button>
          <CopyAs
            what={t('remote.send')}
            sample={{
              method: 'POST',
              path: '/input/inject',
              json: { events: [{ type: 'text', text: EXAMPLE }] },
            }}
          />
        </Row>
      </form>
    </Card>
  );
}
