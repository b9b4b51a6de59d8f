import { content, display, useResource } from '../../app/device-state.ts';
import { t } from '../../app/texts.ts';
import { View } from '../../parts/view.tsx';
import { boot } from './boot.ts';
import { BundleList } from './bundle-list.tsx';
import { UploadCard } from './upload-card.tsx';
import { useThumbnail } from './use-thumbnail.ts';

/** The bundles of the device, and how new ones get there. */
export default function Content() {
  useResource(content);
  useResource(boot);
  useThumbnail(display.value.value);
  return (
    <View title={t('content.title')}>
      <UploadCard />
      <BundleList />
    </View>
  );
}
