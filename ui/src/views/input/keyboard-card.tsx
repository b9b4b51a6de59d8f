import { useState } from 'preact/hooks';
import { useAction } from '../../app/actions.ts';
import { VIEW_PATHS } from '../../app/paths.ts';
import { language, t } from '../../app/texts.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { SelectField } from '../../parts/choice.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import { FailureText } from '../../parts/failure-text.tsx';
import { Row, TextField } from '../../parts/field.tsx';
import { Link } from '../../parts/link.tsx';
import { isLayout, LAYOUTS, layoutName } from './layouts.ts';
import { change } from './settings.ts';

/** The choice of a layout that is not listed. */
const OTHER = 'other';

/** The layout of keyboards and scanners. */
export function KeyboardCard({ layout }: { layout: string }) {
  const isListed = LAYOUTS.some((one) => one === layout);
  const [chosen, setChosen] = useState<string>();
  const [typed, setTyped] = useState<string>();
  const [isWrong, setWrong] = useState(false);
  /** What was stored last is not in effect. */
  const [isLate, setLate] = useState(false);
  const choice = chosen ?? (isListed ? layout : OTHER);
  const other = typed ?? (isListed ? '' : layout);
  const wanted = choice === OTHER ? other.trim() : choice;
  const action = useAction({
    showsFailure: true,
    run: async () => {
      setLate(false);
      const isInEffect = await change('input', 'keyboard_layout', wanted, (now) => now.layout === wanted);
      setLate(!isInEffect);
    },
  });
  return (
    <Card title={t('input.keyboard')}>
      <form
        class="stack"
        noValidate
        onSubmit={async (event) => {
          event.preventDefault();
          setWrong(!isLayout(wanted));
          if (!isLayout(wanted) || !(await action.start())) return;
          setChosen(undefined);
          setTyped(undefined);
        }}
      >
        <SelectField
          label={t('input.layout')}
          hint={t('input.layout_hint')}
          value={choice}
          options={[...layoutOptions(), [OTHER, t('input.layout_another')]]}
          onChange={(next) => {
            setChosen(next);
            setWrong(false);
          }}
        />
        {choice === OTHER && (
          <TextField
            label={t('input.layout_name')}
            hint={t('input.layout_name_hint')}
            error={isWrong ? t('input.layout_invalid') : undefined}
            value={other}
            maxLength={64}
            onInput={(text) => {
              setTyped(text);
              setWrong(false);
            }}
          />
        )}
        <Row>
          <Button kind="primary" type="submit" busy={action.busy.value} disabled={wanted === layout}>
            {t('app.save')}
          </Button>
          <CopyAs
            what={t('input.layout')}
            sample={{ method: 'PATCH', path: '/config', json: { input: { keyboard_layout: wanted } } }}
          />
        </Row>
        <div role="status" class="result">
          {isLate && <p>{t('input.after_restart')}</p>}
        </div>
        <FailureText failure={action.failure.value} />
      </form>
      <p class="soft small">
        {t('input.keyboard_test')} <Link to={VIEW_PATHS.show}>{t('input.go_show')}</Link>
      </p>
    </Card>
  );
}

/** In the order of their names in the language. */
function layoutOptions(): [name: string, text: string][] {
  return LAYOUTS.map((one): [string, string] => [one, layoutName(one, language.value)]).sort(([, a], [, b]) =>
    a.localeCompare(b, language.value),
  );
}
