/** Configuration group `ui` (interface: Configuration). */
import { live } from '../config/fields.ts';
import { configGroup } from '../config/group.ts';

export const uiConfig = configGroup('ui', 'UiConfig', {
  enabled: live.bool(true, { description: 'Whether the management app is served at `/`' }),
});
