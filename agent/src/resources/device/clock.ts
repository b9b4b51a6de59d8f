/** Time zone and time servers as they are configured (`device.timezone`, `device.ntp_servers`). */
import type { ConfigStore } from '../config/store.ts';

const ZONE = 'device.timezone';
const SERVERS = 'device.ntp_servers';
/** What an agent whose computer is not its own keeps and does not apply. */
export const CLOCK_PATHS = [ZONE, SERVERS];

/** The system's time zone. */
export interface TimeZone {
  /**
   * @returns whether programs that are started now see another time zone than those before
   * @throws Error when it could not be set
   */
  set(zone: string): Promise<boolean>;
}

/** The program that sets the clock by servers in the network. */
export interface TimeServers {
  /** @param servers empty: its own. @throws Error when it did not take them */
  set(servers: readonly string[]): Promise<void>;
  /** Calls `started` whenever the program has been started, and knows its own servers only. @returns what ends it */
  onStart(started: () => void): () => void;
}

export interface ClockOptions {
  config: Pick<ConfigStore, 'onApply' | 'applyStored'>;
  zone: TimeZone;
  servers: TimeServers;
  /** The time zone is another one: programs read it at their start. */
  zoneChanged: () => void;
}

/**
 * Brings the stored configuration of the clock into effect, and every change of it. Returns when the time zone is set;
 * the servers follow in the background.
 * @returns what ends it
 */
export async function startClock({ config, zone, servers, zoneChanged }: ClockOptions): Promise<() => void> {
  const ends = [
    config.onApply(ZONE, async ({ device }) => {
      if (await zone.set(device.timezone)) zoneChanged();
    }),
    config.onApply(SERVERS, ({ device }) => servers.set(device.ntp_servers)),
    servers.onStart(() => void config.applyStored(SERVERS)),
  ];
  await config.applyStored(ZONE);
  void config.applyStored(SERVERS);
  return () => {
    for (const end of ends) end();
  };
}
