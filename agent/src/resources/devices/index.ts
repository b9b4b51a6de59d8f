import { bindNothing } from '../config/group.ts';
import { defineResource } from '../resource.ts';
import { devicesConfig } from './config.ts';

/** Peripherals that the displayed page may use; they have no endpoints. */
export const devices = defineResource({
  contract: {},
  config: [devicesConfig],
  create: () => ({ service: undefined, routes: [], config: [bindNothing(devicesConfig)] }),
});
