import { network, useResource } from '../../app/device-state.ts';
import { t } from '../../app/texts.ts';
import { Card } from '../../parts/card.tsx';
import { Icon } from '../../parts/icon.tsx';
import { View } from '../../parts/view.tsx';
import { AuthoritiesCard } from './authorities.tsx';
import { certificates } from './certificates-state.ts';
import { ServerCard } from './server.tsx';

/** The certificate of the device itself, and the authorities that it trusts. */
export default function CertificatesView() {
  useResource(certificates);
  useResource(network);
  return (
    <View title={t('certificates.title')}>
      <Problems />
      <div class="columns">
        <ServerCard />
        <AuthoritiesCard />
      </div>
    </View>
  );
}

/** Sentences of the device, in English. */
function Problems() {
  const problems = certificates.value.value?.problems ?? [];
  if (problems.length === 0) return null;
  return (
    <Card title={t('certificates.problems')} class="card-warning">
      <ul class="problems" lang="en">
        {problems.map((problem) => (
          <li key={problem}>
            <Icon name="alert" />
            {problem}
          </li>
        ))}
      </ul>
    </Card>
  );
}
