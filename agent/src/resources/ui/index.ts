import { bindGroup, READ_WHEN_NEEDED } from '../config/group.ts';
import { defineResource } from '../resource.ts';
import { uiConfig } from './config.ts';

/** The management app at `/`, which the HTTP link serves. */
export const ui = defineResource({
  create: ({ config }) => ({
    service: { isEnabled: () => config.get(uiConfig).enabled },
    routes: [],
    config: [bindGroup(uiConfig, READ_WHEN_NEEDED)],
  }),
});
