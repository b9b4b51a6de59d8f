import { useState } from 'preact/hooks';
import { useAction } from '../../app/actions.ts';
import { formatPercent } from '../../app/format.ts';
import { language, t } from '../../app/texts.ts';
import { Button } from '../../parts/button.tsx';
import { SelectField } from '../../parts/choice.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import { FailureText } from '../../parts/failure-text.tsx';
import { Row } from '../../parts/field.tsx';
import { changeTo, type DisplaySettings, type ScreenSettings, settingsOf } from './display-settings.ts';
import { RotationField } from './rotation-field.tsx';
import { trial, tryChange } from './trial-runner.ts';

type Shape = Pick<ScreenSettings, 'rotation' | 'scale'>;

/** What `display.scale` accepts. */
const SCALES = Array.from({ length: 13 }, (_, index) => 1 + index / 4);
const AUTOMATIC = 'auto';

interface FormProps {
  settings: DisplaySettings;
  /** Id of the screen that shows the page; undefined if there is none. */
  screen: string | undefined;
}

/** How the picture is turned and how large everything in it is: both are in effect at once. */
export function PictureForm({ settings, screen }: FormProps) {
  const [draft, setDraft] = useState<Partial<Shape>>({});
  const present = settingsOf(settings, screen);
  const { rotation, scale } = { ...present, ...draft };
  const change = changeTo(settings, screen, {
    ...(rotation !== present.rotation && { rotation }),
    ...(scale !== present.scale && { scale }),
  });
  const isChanged = Object.keys(change.tried).length > 0;
  const isBusy = trial.value.phase !== 'idle';
  const apply = useAction({
    showsFailure: true,
    run: () => tryChange(change).finally(() => setDraft({})),
  });
  return (
    <form
      class="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (isChanged && !isBusy) void apply.start();
      }}
    >
      <RotationField
        value={rotation}
        disabled={isBusy}
        onChange={(wanted) => setDraft({ ...draft, rotation: wanted })}
      />
      <SelectField
        label={t('screens.scale')}
        hint={t('screens.scale_hint')}
        disabled={isBusy}
        value={scale === null ? AUTOMATIC : String(scale)}
        options={[
          [AUTOMATIC, t('screens.scale_automatic')],
          ...SCALES.map((one) => [String(one), formatPercent(one, language.value)] as const),
        ]}
        onChange={(wanted) => setDraft({ ...draft, scale: wanted === AUTOMATIC ? null : Number(wanted) })}
      />
      <FailureText failure={apply.failure.value} />
      <Row>
        <Button kind="primary" type="submit" busy={apply.busy.value} disabled={!isChanged || isBusy}>
          {t('screens.apply')}
        </Button>
        <CopyAs
          what={t('screens.shape')}
          sample={{
            method: 'PATCH',
            path: '/config',
            json: {
              display: isChanged ? change.tried : changeTo(settings, screen, { rotation, scale }).tried,
            },
          }}
        />
      </Row>
    </form>
  );
}
