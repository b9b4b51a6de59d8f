/** Configuration group `update` (docs/contract.md: Updates). */
import { live } from '../config/fields.ts';
import { configGroup } from '../config/group.ts';
import { hawkbitRules, hawkbitSection } from './fleet/config.ts';

export const updateConfig = configGroup(
  'update',
  'UpdateConfig',
  {
    allow_downgrade: live.bool(false, {
      description: 'Whether a bundle of an older version than the running one is installed',
    }),
    hawkbit: hawkbitSection,
  },
  { rules: ({ hawkbit }) => hawkbitRules(hawkbit, '/hawkbit') },
);
