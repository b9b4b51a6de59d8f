import { useResource } from '../../app/device-state.ts';
import { t } from '../../app/texts.ts';
import { View } from '../../parts/view.tsx';
import { ClearData } from './clear-data.tsx';
import { PageChannel } from './page-channel.tsx';
import { PageConsole } from './page-console.tsx';
import { config } from './page-state.ts';
import { RightsCard } from './rights-card.tsx';
import { ScriptConsole } from './script-console.tsx';

/** The displayed page from inside: scripts, its console, its messages, what it may do and what it has stored. */
export default function Page() {
  useResource(config);
  return (
    <View title={t('page.title')}>
      <ScriptConsole />
      <PageConsole />
      <div class="columns">
        <PageChannel />
        <div class="stack">
          <RightsCard />
          <ClearData />
        </div>
      </div>
    </View>
  );
}
