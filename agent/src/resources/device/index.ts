import { bindGroup, NOT_APPLIED_HERE } from '../config/group.ts';
import { display } from '../display/index.ts';
import { defineResource } from '../resource.ts';
import { applyStoredClock, clockFields } from './clock.ts';
import { deviceConfig } from './config.ts';
import { Device, deviceRoutes } from './device.ts';
import { HealthMonitor } from './health.ts';
import type { DevicePorts } from './ports.ts';

export const device = defineResource({
  async create({ board, bus, log, config, problems, use }, ports: DevicePorts) {
    const { display: screen, restartBrowser } = await use(display);
    const { agentFailures, clock, dataPartition, systemBus, vitals } = ports;
    const onError = (error: unknown) => log.error({ err: error }, 'background task failed');
    const health = new HealthMonitor({
      bus,
      vitals,
      browser: () => screen.browserHealth(),
      intervalMs: () => config.get(deviceConfig).health_interval_ms,
      refresh: () => dataPartition.refresh(),
      problems,
      onError,
    });
    const name = () => config.get(deviceConfig).name;
    const service = new Device({ ...ports, bus, profile: board.profile, name, onError });
    let stopClock: (() => void) | undefined;
    return {
      service,
      routes: deviceRoutes(service, health),
      config: [
        bindGroup(deviceConfig, NOT_APPLIED_HERE, {
          name: () => screen.waitingPageChanged(),
          health_interval_ms: () => health.periodChanged(),
          ...(clock ? clockFields(clock, restartBrowser) : {}),
        }),
      ],
      problems: () => [...dataPartition.problems(), ...systemBus.problems(), ...agentFailures.problems()],
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
