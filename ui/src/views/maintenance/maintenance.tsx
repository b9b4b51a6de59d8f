import { t } from '../../app/texts.ts';
import { View } from '../../parts/view.tsx';
import { BrowserCard } from './browser-card.tsx';
import { DangerZone } from './danger-zone.tsx';
import { DiagnosticsCard } from './diagnostics-card.tsx';
import { PicturesCard } from './pictures-card.tsx';

/** What is done to the device itself. */
export default function Maintenance() {
  return (
    <View title={t('maintenance.title')}>
      <div class="columns">
        <div class="stack">
          <DiagnosticsCard />
          <PicturesCard />
        </div>
        <div class="stack">
          <BrowserCard />
          <DangerZone />
        </div>
      </div>
    </View>
  );
}
