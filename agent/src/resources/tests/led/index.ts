import { ApiError } from '../../../contract/errors.ts';
import { bindGroup, bindNothing } from '../../config/group.ts';
import { defineResource } from '../../resource.ts';
import { serve } from '../../route.ts';
import { ledConfig } from './config.ts';
import * as contract from './schema.ts';

/** The LED of the board; undefined where the board has none. */
export interface LedPort {
  /** @param percent 0 is off */
  set(percent: number): Promise<void>;
}

export const led = defineResource({
  create({ config }, { ledPort }: { ledPort: LedPort | undefined }) {
    let on = false;
    const brightness = () => config.get(ledConfig).brightness;
    const show = async () => {
      if (!ledPort) throw new ApiError('unavailable', 'This board has no status LED.');
      await ledPort.set(on ? brightness() : 0);
      return { on, brightness: brightness() };
    };
    return {
      service: undefined,
      routes: [
        serve(contract.getLed, show),
        serve(contract.setLed, ({ body }) => {
          on = body.on;
          return show();
        }),
      ],
      config: [ledPort ? bindGroup(ledConfig, async () => void (await show())) : bindNothing(ledConfig)],
      stop: () => ledPort?.set(0),
    };
  },
});
