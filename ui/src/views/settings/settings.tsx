import { useMemo, useState } from 'preact/hooks';
import { useResource } from '../../app/device-state.ts';
import { t } from '../../app/texts.ts';
import { SegmentedField } from '../../parts/choice.tsx';
import { Loaded } from '../../parts/states.tsx';
import { View } from '../../parts/view.tsx';
import { DocumentCard } from './document-card.tsx';
import { ExportCard } from './export-card.tsx';
import { Fields } from './fields.tsx';
import { ImportCard } from './import-card.tsx';
import type { JsonObject } from './json.ts';
import { LeaveGuard } from './leave-guard.tsx';
import { RestartBanner } from './restart-banner.tsx';
import type { Group } from './schema.ts';
import { config, schema, useBaseline } from './state.ts';

const TABS = ['fields', 'document', 'files'] as const;
type Tab = (typeof TABS)[number];

/** Every setting of the device. */
export default function Settings() {
  useResource(schema);
  useResource(config);
  return (
    <View title={t('settings.title')}>
      <Loaded of={schema} lines={10}>
        {(groups) => (
          <Loaded of={config} lines={10}>
            {(tree) => <Everything groups={groups} tree={tree} />}
          </Loaded>
        )}
      </Loaded>
    </View>
  );
}

function Everything({ groups, tree }: { groups: readonly Group[]; tree: JsonObject }) {
  const [tab, setTab] = useState<Tab>('fields');
  const fields = useMemo(() => groups.flatMap((group) => group.fields), [groups]);
  useBaseline(fields, tree);
  return (
    <>
      <RestartBanner fields={fields} tree={tree} />
      <SegmentedField
        label={t('settings.view')}
        value={tab}
        options={TABS.map((one) => [one, t(`settings.tab_${one}`)])}
        onChange={setTab}
      />
      {tab === 'fields' && <Fields groups={groups} fields={fields} tree={tree} />}
      {tab === 'document' && <DocumentCard fields={fields} tree={tree} />}
      {tab === 'files' && (
        <>
          <ExportCard fields={fields} tree={tree} />
          <ImportCard fields={fields} tree={tree} />
        </>
      )}
      <LeaveGuard />
    </>
  );
}
