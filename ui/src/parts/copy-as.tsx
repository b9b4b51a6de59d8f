import { useState } from 'preact/hooks';
import { SAMPLE_KINDS, type Sample, type SampleKind, sampleCode } from '../app/code-samples.ts';
import { t } from '../app/texts.ts';
import { toast } from '../app/toasts.ts';
import { Button, IconButton } from './button.tsx';
import { SegmentedField } from './choice.tsx';
import { Dialog } from './dialog.tsx';
import { Row } from './field.tsx';

/** A button that shows a request as code, to copy it. @param what the action, for screen readers */
export function CopyAs({ sample, what }: { sample: Sample; what: string }) {
  const [isOpen, setOpen] = useState(false);
  const [kind, setKind] = useState<SampleKind>('curl');
  const label = t('code.title', { what });
  const code = isOpen ? sampleCode(kind, sample, `${location.origin}/api/v1`) : '';
  return (
    <>
      <IconButton icon="code" label={label} onClick={() => setOpen(true)} />
      {isOpen && (
        <Dialog label={label} onClose={() => setOpen(false)}>
          <div class="stack">
            <h2>{label}</h2>
            <SegmentedField
              label={t('code.language')}
              value={kind}
              options={SAMPLE_KINDS.map((one) => [one, one])}
              onChange={setKind}
            />
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
            <pre tabIndex={0}>{code}</pre>
            <Row>
              <Button kind="primary" onClick={() => void copy(code)}>
                {t('code.copy')}
              </Button>
              <Button kind="quiet" onClick={() => setOpen(false)}>
                {t('app.close')}
              </Button>
            </Row>
          </div>
        </Dialog>
      )}
    </>
  );
}

/** Copies a text, and says whether that was possible. */
export async function copy(code: string): Promise<void> {
  const isCopied = await copyText(code);
  toast(isCopied ? 'good' : 'bad', t(isCopied ? 'code.copied' : 'code.not_copied'));
}

/** Without HTTPS browsers have no clipboard API, only the old command. */
async function copyText(text: string): Promise<boolean> {
  if (isSecureContext) {
    const written = await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
    if (written) return true;
  }
  const area = document.createElement('textarea');
  area.value = text;
  // Outside of an open dialog nothing can be selected.
  (document.querySelector('dialog[open]') ?? document.body).append(area);
  area.select();
  const isDone = document.execCommand('copy');
  area.remove();
  return isDone;
}
