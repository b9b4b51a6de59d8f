import { bindNothing } from '../config/group.ts';
import { defineResource } from '../resource.ts';
import { audioConfig } from './config.ts';
import * as contract from './schema.ts';

export const audio = defineResource({
  contract,
  config: [audioConfig],
  create: () => ({ service: undefined, routes: [], config: [bindNothing(audioConfig)] }),
});
