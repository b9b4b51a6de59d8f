import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Board } from '../../../base/board.ts';
import type { Logger } from '../../../base/logger.ts';
import type { HawkbitConfig } from './config.ts';
import { FleetClient } from './fleet-client.ts';
import { FleetFile } from './fleet-file.ts';
import type { FleetStatus } from './fleet-status.ts';
import type { FleetUpdater } from './ports.ts';

export interface HawkbitOptions {
  updater: FleetUpdater;
  board: Pick<Board, 'dataFolder' | 'runtimeFolder'>;
  identity: { serial: string; model: string; version: string };
  /** RAUC's `compatible` of this board, by which servers choose bundles. */
  compatible: () => Promise<string>;
  /** `update.hawkbit`; read at the start, and when it has changed. */
  config: () => HawkbitConfig;
  log: Pick<Logger, 'info' | 'warn'>;
}

/** The fleet client. Does nothing while `update.hawkbit.url` is null. */
export interface Hawkbit {
  /** Goes on where the last run ended. Does not wait for the server. */
  start(): Promise<void>;
  /** Uses the present configuration from now on. */
  configChanged(): void;
  /** `hawkbit` of `GET /update`. */
  status(): FleetStatus;
  /** What an operator should know, as sentences for health. */
  problems(): string[];
  /** Ends requests and timers. An install that runs in the updater goes on there. */
  stop(): void;
}

/** Pulls updates from a hawkBit server. Keeps its state in `update/hawkbit.json` of the data folder. */
export function createHawkbit(options: HawkbitOptions): Hawkbit {
  const { board, identity, compatible, ...rest } = options;
  // The built-in and the uploaded authorities; exists when there are uploaded ones.
  const authorities = join(board.runtimeFolder, 'ca-certificates.crt');
  return new FleetClient({
    ...rest,
    file: new FleetFile(join(board.dataFolder, 'update'), rest.log),
    serial: identity.serial,
    // gooseBit reads `hw_boardname` and `sw_version`, as SWUpdate names them.
    attributes: async () => ({
      hw_boardname: await compatible(),
      sw_version: identity.version,
      serial: identity.serial,
      model: identity.model,
    }),
    tlsCa: () => (existsSync(authorities) ? authorities : undefined),
  });
}
