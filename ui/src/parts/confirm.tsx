import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Action } from '../app/actions.ts';
import { t } from '../app/texts.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { FailureText } from './failure-text.tsx';
import { Row, TextField } from './field.tsx';

interface ConfirmProps {
  /** The question, which is the title. */
  title: string;
  /** What happens, and what is kept. */
  children?: ComponentChildren;
  /** Text of the button that does it. */
  confirm: string;
  /** It cannot be undone. */
  isDanger?: boolean;
  /** What the user has to type first, and how that field is called. */
  word?: { readonly label: string; readonly value: string };
  /** Give it `showsFailure`: its failure is shown here. The dialog is closed when it has its result. */
  action: Action;
  onClose: () => void;
}

/** Asks before something is done that the user may not want. */
export function Confirm({ title, children, confirm, isDanger = false, word, action, onClose }: ConfirmProps) {
  const [typed, setTyped] = useState('');
  const isReady = word === undefined || typed.trim() === word.value;
  const close = () => {
    action.forget();
    onClose();
  };
  return (
    <Dialog label={title} onClose={close}>
      <form
        class="stack"
        noValidate
        onSubmit={async (event) => {
          event.preventDefault();
          if (isReady && (await action.start())) close();
        }}
      >
        <h2>{title}</h2>
        {children}
        {word && <TextField label={word.label} hint={word.value} value={typed} onInput={setTyped} focused />}
        <FailureText failure={action.failure.value} />
        <Row>
          <Button
            kind={isDanger ? 'danger' : 'primary'}
            type="submit"
            busy={action.busy.value}
            disabled={!isReady}
          >
            {confirm}
          </Button>
          <Button kind="quiet" onClick={close}>
            {t('app.cancel')}
          </Button>
        </Row>
      </form>
    </Dialog>
  );
}
