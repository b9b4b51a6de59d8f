import { useEffect, useRef } from 'preact/hooks';
import { formatBytes, formatDuration } from '../../app/format.ts';
import { language, t } from '../../app/texts.ts';
import { Button } from '../../parts/button.tsx';
import { Row } from '../../parts/field.tsx';
import { Progress } from '../../parts/progress.tsx';
import { type Step, Steps } from '../../parts/steps.tsx';
import { cancelUpload, type UploadStage, type Progress as UploadState } from './upload.ts';

const STAGES: readonly UploadStage[] = ['packing', 'sending', 'checking'];

/** How far the upload is. */
export function UploadProgress({ progress }: { progress: UploadState }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const { name, stage, done } = progress;
  return (
    <div class="stack">
      <h3 ref={heading} tabIndex={-1}>
        {t('content.uploading', { name })}
      </h3>
      <div role="status">
        <Steps label={t('content.steps')} steps={stepsOf(progress)} />
      </div>
      <Progress label={t(`content.stage_${stage}`)} done={done} text={amount(progress)} />
      {stage !== 'checking' && (
        <Row>
          <Button onClick={cancelUpload}>{t('app.cancel')}</Button>
        </Row>
      )}
      <p class="soft small">{t('content.goes_on')}</p>
    </div>
  );
}

function stepsOf({ stage, isPacked }: UploadState): Step[] {
  const stages = isPacked ? STAGES : STAGES.slice(1);
  const position = stages.indexOf(stage);
  return stages.map((one, index) => ({
    text: t(`content.step_${one}`),
    state: index < position ? 'done' : index === position ? 'running' : 'open',
  }));
}

/** Bytes, speed and the time that is left. */
function amount({ stage, bytes, total, perSecond }: UploadState): string {
  const size = (value: number) => formatBytes(value, language.value);
  if (stage === 'checking') return size(total);
  const parts = [t('content.amount', { done: size(bytes), total: size(total) })];
  if (perSecond !== undefined) parts.push(t('content.speed', { size: size(perSecond) }));
  if (perSecond !== undefined && perSecond > 0) {
    const time = formatDuration(Math.ceil((total - bytes) / perSecond), language.value);
    parts.push(t('content.left', { time }));
  }
  return parts.join(' · ');
}
