import { atMost } from '../../contract/at-most.ts';
import { type Route, serve } from '../../contract/endpoint.ts';
import type { Device } from './device.ts';
import type { HealthMonitor } from './health.ts';
import { factoryReset, getDevice, getHealth, getLogs, reboot, shutdown } from './schema.ts';

/** Each reader is a journalctl process. */
const MAX_LOG_READERS = 8;

export function deviceRoutes(device: Device, health: HealthMonitor): Route[] {
  const readLog = atMost(MAX_LOG_READERS, 'readers of the log');
  return [
    serve(getDevice, () => device.get()),
    serve(getHealth, () => health.snapshot()),
    serve(getLogs, ({ query }) => readLog(() => device.logs(query))),
    serve(reboot, async ({ afterAnswer }) => {
      await device.end('reboot', afterAnswer);
      return {};
    }),
    serve(shutdown, async ({ afterAnswer }) => {
      await device.end('shutdown', afterAnswer);
      return {};
    }),
    serve(factoryReset, async ({ body, afterAnswer }) => {
      await device.factoryReset(body.confirm, afterAnswer);
      return {};
    }),
  ];
}
