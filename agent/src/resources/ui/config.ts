/** Configuration group `ui`. */
import { live } from '../config/fields.ts';
import { configGroup } from '../config/group.ts';

export const uiConfig = configGroup('ui', 'UiConfig', {
  enabled: live.bool(true, { description: 'Whether the web app is served at `/`; otherwise it is 404' }),
});
