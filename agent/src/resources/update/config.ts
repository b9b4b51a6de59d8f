/** Configuration group `update`. */
import { live } from '../config/fields.ts';
import { configGroup } from '../config/group.ts';
import { fleetRules, fleetSection } from './fleet/config.ts';

export const updateConfig = configGroup(
  'update',
  'UpdateConfig',
  {
    allow_downgrade: live.bool(false, {
      description:
        'Whether a bundle of an older version (SemVer) than the running one is installed; the same one always is',
    }),
    hawkbit: fleetSection,
  },
  { rules: ({ hawkbit }) => fleetRules(hawkbit, '/hawkbit') },
);
