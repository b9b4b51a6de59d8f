import { bindGroup, NOTHING_TO_APPLY } from '../config/group.ts';
import { defineResource } from '../resource.ts';
import { devicesConfig } from './config.ts';

/** Peripherals that the displayed page may use; they have no endpoints. */
export const devices = defineResource({
  contract: {},
  config: [devicesConfig],
  create: () => ({
    service: undefined,
    routes: [],
    config: [
      bindGroup(devicesConfig, {
        origins: NOTHING_TO_APPLY,
        hid: NOTHING_TO_APPLY,
        serial: NOTHING_TO_APPLY,
        usb: NOTHING_TO_APPLY,
      }),
    ],
  }),
});
