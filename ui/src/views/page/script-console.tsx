import { useRef, useState } from 'preact/hooks';
import { useAction } from '../../app/actions.ts';
import { display } from '../../app/device-state.ts';
import { whatIsShown } from '../../app/display-words.ts';
import { remember, rememberedList } from '../../app/storage.ts';
import { t } from '../../app/texts.ts';
import { Button, IconButton } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import { FailureText } from '../../parts/failure-text.tsx';
import { Row, TextArea } from '../../parts/field.tsx';
import { Icon } from '../../parts/icon.tsx';
import { valueAt } from './json.ts';
import { config } from './page-state.ts';
import { addScript, leaving, MOST_SCRIPTS, type Recall, recalled } from './script-history.ts';
import { ScriptResults } from './script-results.tsx';
import { LONGEST_SCRIPT_MS, runScript } from './script-runs.ts';

/** The longest one that the device takes, in characters. */
const MAX_LENGTH = 1024 * 1024;
/** In the empty field, and in code samples. */
const EXAMPLE = 'document.title';
const TYPING: Recall = { at: -1, draft: '' };

/** Runs scripts in the displayed page. */
export function ScriptConsole() {
  const [typed, setTyped] = useState('');
  const [history, setHistory] = useState(() => rememberedList('scripts', MOST_SCRIPTS));
  const recall = useRef(TYPING);
  const run = useAction<[string]>({
    showsFailure: true,
    run: (script) => {
      const limit = valueAt(config.value.peek(), 'browser', 'script_timeout_ms');
      return runScript(script, typeof limit === 'number' ? limit : LONGEST_SCRIPT_MS);
    },
  });
  const keep = (list: string[]) => {
    setHistory(list);
    remember('scripts', list.length > 0 ? JSON.stringify(list) : undefined);
  };
  const isEmpty = typed.trim() === '';
  const submit = () => {
    if (isEmpty || run.busy.peek()) return;
    keep(addScript(history, typed));
    recall.current = TYPING;
    void run.start(typed);
  };
  const use = (script: string) => {
    recall.current = TYPING;
    setTyped(script);
  };
  const shown = display.value.value;
  return (
    <Card title={t('page.script')}>
      <p class="soft">
        {t('page.script_about')} {shown && t('page.script_in', { what: whatIsShown(shown) })}
      </p>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: keys of the field in it */}
      <div
        onKeyDown={(event) => {
          const { target, key } = event;
          if (!(target instanceof HTMLTextAreaElement)) return;
          if (event.shiftKey || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
          const direction = leaving(key, target);
          const next = direction && recalled(history, recall.current, typed, direction);
          if (!next) return;
          event.preventDefault();
          recall.current = next.recall;
          setTyped(next.script);
        }}
      >
        <TextArea
          label={t('page.script_field')}
          hint={t('page.script_hint')}
          isCode
          rows={5}
          value={typed}
          maxLength={MAX_LENGTH}
          placeholder={EXAMPLE}
          onInput={use}
          onSubmit={submit}
        />
      </div>
      <Row>
        <Button kind="primary" icon="play" busy={run.busy.value} disabled={isEmpty} onClick={submit}>
          {t('page.run')}
        </Button>
        <CopyAs
          what={t('page.run')}
          sample={{
            method: 'POST',
            path: '/display/execute-js',
            json: { script: isEmpty ? EXAMPLE : typed },
          }}
        />
      </Row>
      <FailureText failure={run.failure.value} />
      <ScriptResults onUse={use} />
      {history.length > 0 && (
        <details>
          <summary>
            <Icon name="down" />
            {t('page.history')}
          </summary>
          <ul class="choices">
            {history.map((script) => (
              <li key={script} class="choice">
                <button
                  type="button"
                  class="choice-main"
                  aria-label={t('page.use_what', { script: short(script) })}
                  onClick={() => use(script)}
                >
                  <Icon name="code" />
                  <code class="page-line">{short(script)}</code>
                </button>
                <IconButton
                  icon="close"
                  label={t('page.forget_script', { script: short(script) })}
                  onClick={() => keep(history.filter((one) => one !== script))}
                />
              </li>
            ))}
          </ul>
        </details>
      )}
    </Card>
  );
}

/** A script in one line. */
function short(script: string): string {
  const line = script.trim().replaceAll(/\s+/g, ' ');
  return line.length > 80 ? `${line.slice(0, 80).toWellFormed()}…` : line;
}
