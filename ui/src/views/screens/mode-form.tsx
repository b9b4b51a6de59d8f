import { useState } from 'preact/hooks';
import { useAction } from '../../app/actions.ts';
import { language, t } from '../../app/texts.ts';
import { Button } from '../../parts/button.tsx';
import { SelectField } from '../../parts/choice.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import { FailureText } from '../../parts/failure-text.tsx';
import { NumberField, Row } from '../../parts/field.tsx';
import { changeTo, type DisplaySettings, settingsOf } from './display-settings.ts';
import { forcible, modeIn, modeText, modeWords } from './modes.ts';
import type { Screen } from './screen-state.ts';
import { trial, tryChange } from './trial-runner.ts';

const AUTOMATIC = 'auto';
const CUSTOM = 'custom';
const FULL_HD = { width: 1920, height: 1080, rate: 60 };

/** Of a resolution that the screen does not list; a field that is empty or has no number is undefined. */
interface Typed {
  readonly width: number | undefined;
  readonly height: number | undefined;
  readonly rate: number | undefined;
}

interface FormProps {
  settings: DisplaySettings;
  /** The screen that shows the page; undefined if there is none. */
  screen: Screen | undefined;
}

/** With which resolution the screen is driven. */
export function ModeForm({ settings, screen }: FormProps) {
  const present = settingsOf(settings, screen?.id).mode;
  const [draft, setDraft] = useState<string>();
  const [typed, setTyped] = useState<Typed>();
  const choice = draft ?? present ?? AUTOMATIC;
  const custom = typed ?? modeIn(screen?.resolution ?? '') ?? FULL_HD;
  const wanted = choice === CUSTOM ? textOf(custom) : choice === AUTOMATIC ? null : choice;
  const isChanged = wanted !== undefined && wanted !== present;
  const change = changeTo(settings, screen?.id, { mode: wanted ?? null });
  const isBusy = trial.value.phase !== 'idle';
  const apply = useAction({
    showsFailure: true,
    run: () => tryChange(change).finally(() => setDraft(undefined)),
  });
  const listed = forcible(screen?.modes ?? []);
  const modes = present === null || listed.includes(present) ? listed : [present, ...listed];
  return (
    <form
      class="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (isChanged && !isBusy) void apply.start();
      }}
    >
      <SelectField
        label={t('screens.mode_label')}
        hint={t('screens.mode_hint')}
        disabled={isBusy}
        value={choice}
        options={[
          [AUTOMATIC, t('screens.mode_automatic')],
          ...modes.map((mode) => [mode, modeWords(mode, language.value)] as const),
          [CUSTOM, t('screens.mode_custom')],
        ]}
        onChange={setDraft}
      />
      {choice === CUSTOM && (
        <CustomMode value={custom} onChange={setTyped} isWrong={wanted === undefined} disabled={isBusy} />
      )}
      <p class="soft small">{t('screens.mode_restart')}</p>
      <FailureText failure={apply.failure.value} />
      <Row>
        <Button kind="primary" type="submit" busy={apply.busy.value} disabled={!isChanged || isBusy}>
          {t('screens.mode_apply')}
        </Button>
        <CopyAs
          what={t('screens.mode')}
          sample={{ method: 'PATCH', path: '/config', json: { display: change.tried } }}
        />
      </Row>
    </form>
  );
}

interface CustomModeProps {
  value: Typed;
  onChange: (value: Typed) => void;
  isWrong: boolean;
  disabled: boolean;
}

function CustomMode({ value, onChange, isWrong, disabled }: CustomModeProps) {
  return (
    <>
      <div class="screens-custom">
        <NumberField
          label={t('screens.width')}
          unit="px"
          min={10}
          max={99_999}
          disabled={disabled}
          value={value.width ?? null}
          onInput={(width) => onChange({ ...value, width: width ?? undefined })}
        />
        <NumberField
          label={t('screens.height')}
          unit="px"
          min={10}
          max={99_999}
          disabled={disabled}
          value={value.height ?? null}
          onInput={(height) => onChange({ ...value, height: height ?? undefined })}
        />
        <NumberField
          label={t('screens.rate')}
          unit="Hz"
          min={1}
          max={999}
          step={0.001}
          disabled={disabled}
          value={value.rate ?? null}
          onInput={(rate) => onChange({ ...value, rate: rate ?? undefined })}
        />
      </div>
      <div role="alert" class="result">
        {isWrong && <p class="field-error">{t('screens.mode_invalid')}</p>}
      </div>
    </>
  );
}

function textOf({ width, height, rate }: Typed): string | undefined {
  if (width === undefined || height === undefined || rate === undefined) return undefined;
  return modeText({ width, height, rate });
}
