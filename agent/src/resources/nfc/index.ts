import { join } from 'node:path';
import { limitedLog } from '../../base/limited-log.ts';
import { ApiError } from '../../contract/errors.ts';
import { bindGroup, bindNothing, READ_WHEN_NEEDED } from '../config/group.ts';
import type { ConfigReader } from '../config/store.ts';
import { defineResource, type Resource } from '../resource.ts';
import { nfcConfig } from './config.ts';
import { handleKey } from './handles.ts';
import { Nfc } from './nfc.ts';
import { PageNfc } from './page-nfc.ts';
import type { ReaderProgram } from './ports.ts';
import { nfcRoutes } from './routes.ts';
import { nfcDisabled } from './schema.ts';

export interface NfcPorts {
  /** Undefined on a system that cannot run it: there are no readers. */
  readerProgram: ReaderProgram | undefined;
}

/** What other resources use of NFC. */
export interface NfcService {
  readonly page: PageNfc;
  /** Calls `listener` when `mayUseNfc` may give another answer, until the returned function is called. */
  onPermissionChange(listener: () => void): () => void;
}

/** Whether pages of this origin may use NFC now. @param origin as browsers serialize it */
export function mayUseNfc(config: ConfigReader, origin: string): boolean {
  const { enabled, origins } = config.get(nfcConfig);
  return enabled && origins.includes(origin);
}

export const nfc = defineResource({
  create({ board, bus, config, log }, { readerProgram: program }: NfcPorts): Resource<NfcService> {
    const listeners = new Set<() => void>();
    const changed = () => {
      for (const listener of listeners) listener();
    };
    const serviceWith = (page: PageNfc): NfcService => ({
      page,
      onPermissionChange(listener) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    });
    const isEnabled = () => config.get(nfcConfig).enabled;
    const gate = () => {
      if (!isEnabled()) throw new ApiError(nfcDisabled);
    };
    if (!program) {
      const page = new PageNfc({ nfc: undefined, isEnabled });
      return {
        service: serviceWith(page),
        routes: nfcRoutes(undefined, gate),
        config: [{ ...bindNothing(nfcConfig), changed }],
      };
    }
    const readers = new Nfc({
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
    const page = new PageNfc({ nfc: readers, program, isEnabled });
    return {
      service: serviceWith(page),
      routes: nfcRoutes(readers, gate),
      config: [bindGroup(nfcConfig, () => readers.apply(), { origins: READ_WHEN_NEEDED }, { changed })],
      problems: () => readers.problems(),
      // The screen and the links do not wait for it.
      ready: () => readers.start(),
      stop: async () => {
        page.stop();
        await readers.stop();
      },
    };
  },
});
