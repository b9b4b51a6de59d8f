import { bindNothing } from '../config/group.ts';
import { defineResource } from '../resource.ts';
import { peripheralsConfig } from './config.ts';

/** Peripherals that the displayed page may use; they have no endpoints. */
export const peripherals = defineResource({
  create: () => ({ service: undefined, routes: [], config: [bindNothing(peripheralsConfig)] }),
});
