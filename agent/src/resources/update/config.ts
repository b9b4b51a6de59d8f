/** Configuration group `update` (docs/contract.md: Updates). */
import { live } from '../config/fields.ts';
import { configGroup } from '../config/group.ts';
import { fleetRules, fleetSection } from './fleet/config.ts';

export const updateConfig = configGroup(
  'update',
  'UpdateConfig',
  {
    allow_downgrade: live.bool(false, {
      description: 'Whether a bundle of an older version than the running one is installed',
    }),
    hawkbit: fleetSection,
  },
  { rules: ({ hawkbit }) => fleetRules(hawkbit, '/hawkbit') },
);
