/** Time zone and time servers (`device.timezone`, `device.ntp_servers`). */
import type { GroupValue } from '../config/group.ts';
import type { deviceConfig } from './config.ts';

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
  /**
   * Calls `started` whenever the service may have its default servers, at once if it runs, until the returned function is
   * called.
   */
  onStart(started: () => void): () => void;
}

/** The clock of a system that is the appliance itself. */
export interface Clock {
  zone: TimeZone;
  servers: TimeServers;
}

type Device = GroupValue<typeof deviceConfig>;

/**
 * The functions that apply the clock's fields.
 * @param zoneChanged called when the time zone has changed, which programs read only when they start
 */
export function clockFields({ zone, servers }: Clock, zoneChanged: () => void) {
  return {
    timezone: async ({ timezone }: Device) => {
      if (await zone.set(timezone)) zoneChanged();
    },
    ntp_servers: ({ ntp_servers }: Device) => servers.set(ntp_servers),
  };
}

/**
 * Applies the stored time zone, and the stored servers whenever the time service has started. Before that it is not called:
 * D-Bus would start it, which on a busy processor takes longer than a call may last.
 * @returns stops this
 */
export async function applyStoredClock(
  { servers }: Clock,
  config: { applyStored(path: string): Promise<void> },
): Promise<() => void> {
  const stop = servers.onStart(() => void config.applyStored('device.ntp_servers'));
  await config.applyStored('device.timezone');
  return stop;
}
