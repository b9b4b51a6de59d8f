import { join } from 'node:path';
import { limitedLog } from '../../base/limited-log.ts';
import { ApiError } from '../../contract/errors.ts';
import { bindGroup, bindNothing, READ_WHEN_NEEDED } from '../config/group.ts';
import { defineResource } from '../resource.ts';
import { nfcConfig } from './config.ts';
import { handleKey } from './handles.ts';
import { Nfc } from './nfc.ts';
import type { ReaderProgram } from './ports.ts';
import { nfcRoutes } from './routes.ts';
import { nfcDisabled } from './schema.ts';

export interface NfcPorts {
  /** Undefined on a system that cannot run it: there are no readers. */
  readerProgram: ReaderProgram | undefined;
}

export const nfc = defineResource({
  create({ board, bus, config, log }, { readerProgram: program }: NfcPorts) {
    const isEnabled = () => config.get(nfcConfig).enabled;
    const gate = () => {
      if (!isEnabled()) throw new ApiError(nfcDisabled);
    };
    if (!program) {
      return { service: undefined, routes: nfcRoutes(undefined, gate), config: [bindNothing(nfcConfig)] };
    }
    const service = new Nfc({
      program,
      isEnabled,
      settings: () => {
        const { backend, i2c, spi, poll, feedback } = config.get(nfcConfig);
        return { backend, i2c, spi, poll_ms: poll.interval_ms, feedback_on_detect: feedback.on_detect };
      },
      key: () => handleKey(join(board.dataFolder, 'state/nfc-handle-key'), limitedLog(log)),
      bus,
      recovered: () => void config.applyStored('nfc.enabled'),
      log,
    });
    return {
      service: undefined,
      routes: nfcRoutes(service, gate),
      config: [bindGroup(nfcConfig, () => service.apply(), { origins: READ_WHEN_NEEDED })],
      problems: () => service.problems(),
      // The screen and the links do not wait for it.
      ready: () => service.start(),
      stop: () => service.stop(),
    };
  },
});
