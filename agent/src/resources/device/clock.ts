/** Applies the configured time zone and time servers (`device.timezone`, `device.ntp_servers`). */
import type { ConfigStore } from '../config/store.ts';

const ZONE = 'device.timezone';
const SERVERS = 'device.ntp_servers';
/** Fields that are stored but not applied on a computer that is not the appliance. */
export const CLOCK_PATHS = [ZONE, SERVERS];

/** The system's time zone. */
export interface TimeZone {
  /**
   * @returns whether the zone differs from the one that running programs have read
   * @throws Error when it could not be set
   */
  set(zone: string): Promise<boolean>;
}

/** The service that sets the clock from time servers. */
export interface TimeServers {
  /** @param servers empty for its defaults. @throws Error when it refuses them */
  set(servers: readonly string[]): Promise<void>;
  /** Calls `started` whenever the service runs and may have its default servers. @returns a function that ends it */
  onStart(started: () => void): () => void;
}

export interface ClockOptions {
  config: Pick<ConfigStore, 'onApply' | 'applyStored'>;
  zone: TimeZone;
  servers: TimeServers;
  /** Called when the zone has changed: programs read it at their start. */
  zoneChanged: () => void;
}

/**
 * Applies the stored configuration of the clock, and every change of it. Resolves when the time zone is set; the servers
 * follow in the background.
 * @returns a function that ends it
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
