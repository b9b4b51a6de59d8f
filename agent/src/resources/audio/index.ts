import { ApiError } from '../../contract/errors.ts';
import { bindGroup, bindNothing } from '../config/group.ts';
import { defineResource } from '../resource.ts';
import { serve } from '../route.ts';
import { Audio } from './audio.ts';
import { audioConfig } from './config.ts';
import type { SoundServer } from './ports.ts';
import * as contract from './schema.ts';

export interface AudioPorts {
  /** Undefined when the sound of this system does not belong to the device. */
  soundServer: SoundServer | undefined;
}

export const audio = defineResource({
  create({ config, log }, { soundServer }: AudioPorts) {
    if (!soundServer) {
      const refuse = () => {
        throw new ApiError('unavailable', 'This computer is not the appliance itself.');
      };
      return {
        service: undefined,
        routes: [serve(contract.getAudio, refuse), serve(contract.setAudio, refuse)],
        config: [bindNothing(audioConfig)],
      };
    }
    const service = new Audio({ server: soundServer, settings: () => config.get(audioConfig), log });
    return {
      service: undefined,
      routes: [
        serve(contract.getAudio, () => service.get()),
        serve(contract.setAudio, async ({ body }) => {
          await service.get(); // refuses before anything is stored
          await config.patch({ audio: body });
          return await service.get();
        }),
      ],
      config: [bindGroup(audioConfig, () => service.apply())],
      problems: () => service.problems(),
      // Starting the sound server must not delay the screen.
      ready: () => service.start(),
      stop: () => service.stop(),
    };
  },
});
