import type { Action } from '../app/actions.ts';
import type { Sample } from '../app/code-samples.ts';
import { Button } from './button.tsx';
import { CopyAs } from './copy-as.tsx';
import { FailureText } from './failure-text.tsx';
import { Row } from './field.tsx';
import { Icon, type IconName } from './icon.tsx';

interface SwitchedOffProps {
  icon: IconName;
  title: string;
  /** What it is for, and what changes. */
  text: string;
  /** Text of the button that switches it on. */
  button: string;
  /** Switches it on; give it `showsFailure`. */
  action: Action;
  sample: Sample;
}

/** In place of a part of the device that is off in the configuration. */
export function SwitchedOff({ icon, title, text, button, action, sample }: SwitchedOffProps) {
  return (
    <div class="card">
      <div class="empty">
        <Icon name={icon} />
        <p class="empty-title">{title}</p>
        <p class="soft">{text}</p>
        <Row>
          <Button kind="primary" busy={action.busy.value} onClick={() => void action.start()}>
            {button}
          </Button>
          <CopyAs what={button} sample={sample} />
        </Row>
        <FailureText failure={action.failure.value} />
      </div>
    </div>
  );
}
