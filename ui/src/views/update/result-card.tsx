import { formatTime } from '../../app/format.ts';
import { language, t } from '../../app/texts.ts';
import { Badge } from '../../parts/badge.tsx';
import { Card } from '../../parts/card.tsx';
import { EmptyState } from '../../parts/states.tsx';
import type { UpdateResult } from './slot-state.ts';
import { resultWords } from './update-words.ts';

/** How the last update has ended, and what to do about it. */
export function ResultCard({ result }: { result: UpdateResult | null }) {
  return (
    <Card title={t('update.result')}>
      {result ? (
        <Result result={result} />
      ) : (
        <EmptyState icon="update" title={t('update.no_result')}>
          {t('update.no_result_do')}
        </EmptyState>
      )}
    </Card>
  );
}

function Result({ result }: { result: UpdateResult }) {
  const { level, sentence, todo, detail } = resultWords(result);
  return (
    <div class="stack">
      <Badge level={level} text={t(`update.outcome_${result.outcome}`)} />
      <p>{sentence}</p>
      {todo && <p>{todo}</p>}
      {detail && (
        <p class="soft small" lang="en">
          {detail}
        </p>
      )}
      <p class="soft small">
        {formatTime(result.ts, language.value)}
        {result.reference !== null && ` · ${t('update.by_fleet')}`}
      </p>
    </div>
  );
}
