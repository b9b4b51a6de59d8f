import { bindGroup, NOT_APPLIED_HERE } from '../config/group.ts';
import { display } from '../display/index.ts';
import { defineResource } from '../resource.ts';
import { applyStoredClock, type Clock, clockFields } from './clock.ts';
import { deviceConfig } from './config.ts';
import { Device } from './device.ts';
import { HealthMonitor } from './health.ts';
import type { DataReset, Hardware, Identity, Journal, Power, Vitals } from './ports.ts';
import { deviceRoutes } from './routes.ts';
import * as contract from './schema.ts';

export interface DevicePorts {
  identity: Identity;
  hardware: Hardware;
  journal: Journal;
  power: Power;
  dataReset: DataReset;
  vitals: Vitals;
  /** Memory of a process and all those below it, in bytes; null when it cannot be read. */
  processMemory: (pid: number) => Promise<number | null>;
  /** Undefined where the clock is not the device's own to set. */
  clock: Clock | undefined;
  dataPartition: { problems(): string[] };
}

export const device = defineResource({
  contract,
  config: [deviceConfig],
  async create({ board, bus, log, config, problems, use }, ports: DevicePorts) {
    const { display: screen, restartBrowser } = await use(display);
    const { identity, clock, dataPartition } = ports;
    const onError = (error: unknown) => log.error({ err: error }, 'background task failed');
    const health = new HealthMonitor({
      bus,
      vitals: ports.vitals,
      browser: {
        health: async () => {
          const { pid, ...rest } = screen.browserHealth;
          return { ...rest, pid, rss_bytes: pid === null ? null : await ports.processMemory(pid) };
        },
      },
      intervalMs: () => config.get(deviceConfig).health_interval_ms,
      problems,
      onError,
    });
    const service = new Device({
      bus,
      identity,
      profile: board.profile,
      name: () => config.get(deviceConfig).name,
      hardware: ports.hardware,
      journal: ports.journal,
      power: ports.power,
      dataReset: ports.dataReset,
      onError,
    });
    const notOurs = { timezone: NOT_APPLIED_HERE, ntp_servers: NOT_APPLIED_HERE } as const;
    let stopClock: (() => void) | undefined;
    return {
      service,
      routes: deviceRoutes(service, health),
      config: [
        bindGroup(deviceConfig, {
          name: () => screen.waitingPageChanged(),
          health_interval_ms: () => health.periodChanged(),
          ...(clock ? clockFields(clock, restartBrowser) : notOurs),
        }),
      ],
      problems: () => dataPartition.problems(),
      start: async () => {
        if (clock) stopClock = await applyStoredClock(clock, config);
      },
      stop: () => {
        stopClock?.();
        health.stop();
        service.stop();
      },
    };
  },
});
