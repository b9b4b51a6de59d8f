import { bindGroup, NOTHING_TO_APPLY } from '../config/group.ts';
import { defineResource } from '../resource.ts';
import { audioConfig } from './config.ts';
import * as contract from './schema.ts';

export const audio = defineResource({
  contract,
  config: [audioConfig],
  create: () => ({
    service: undefined,
    routes: [],
    config: [bindGroup(audioConfig, { volume: NOTHING_TO_APPLY, mute: NOTHING_TO_APPLY })],
  }),
});
