import { language, plural, t } from '../../app/texts.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { copy } from '../../parts/copy-as.tsx';
import { Row } from '../../parts/field.tsx';
import { visible } from '../../parts/stream/entry.ts';
import { forgetRuns, runs, type ScriptRun } from './script-runs.ts';

/** What is shown of a script, in characters. */
const LONGEST_SCRIPT = 500;

/** The results of the scripts, the newest first. @param onUse puts a script into the field again */
export function ScriptResults({ onUse }: { onUse: (script: string) => void }) {
  const all = runs.value;
  const [newest] = all;
  return (
    <>
      <p role="status" class="hidden-text">
        {newest && t(newest.exception ? 'page.ended_exception' : 'page.ended_result')}
      </p>
      {newest && (
        <div class="stack">
          <div class="page-results-head">
            <h3>{t('page.results')}</h3>
            <Button kind="quiet" icon="remove" onClick={forgetRuns}>
              {t('page.forget_results')}
            </Button>
          </div>
          <ol class="page-runs" aria-label={t('page.results')}>
            {all.map((run) => (
              <Result key={run.id} run={run} onUse={onUse} />
            ))}
          </ol>
        </div>
      )}
    </>
  );
}

function Result({ run, onUse }: { run: ScriptRun; onUse: (script: string) => void }) {
  const { script, result, exception, tookMs } = run;
  const time = new Intl.NumberFormat(language.value, {
    style: 'unit',
    unit: 'millisecond',
    maximumFractionDigits: 0,
  }).format(tookMs);
  return (
    <li class="page-run">
      <code class="page-run-script">{visible(script.slice(0, LONGEST_SCRIPT))}</code>
      <div class="page-run-state">
        <Badge level={exception ? 'bad' : 'good'} text={t(exception ? 'page.exception' : 'page.result')} />
        <span class="soft small">
          {[exception && positionWords(exception), time].filter(Boolean).join(' · ')}
        </span>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <pre tabIndex={0} class="page-run-result" lang="en">
        {result.text}
      </pre>
      {result.cut > 0 && <p class="soft small">{plural('stream.cut', result.cut)}</p>}
      <Row>
        <Button kind="quiet" icon="undo" onClick={() => onUse(script)}>
          {t('page.use')}
        </Button>
        <Button kind="quiet" icon="copy" onClick={() => void copy(result.text)}>
          {t('page.copy_result')}
        </Button>
      </Row>
    </li>
  );
}

/** Where in the script an exception comes from; undefined if it is not known. */
function positionWords({ line, column }: NonNullable<ScriptRun['exception']>): string | undefined {
  if (line === null) return undefined;
  return column === null ? t('page.at_line', { line }) : t('page.at_column', { line, column });
}
