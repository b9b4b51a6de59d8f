import { live } from '../../config/fields.ts';
import { configGroup } from '../../config/group.ts';

export const ledConfig = configGroup('led', 'LedConfig', {
  brightness: live.int(50, 0, 100, { description: 'Percent' }),
});
