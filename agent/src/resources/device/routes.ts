import { type Route, serve } from '../../contract/endpoint.ts';
import type { Device } from './device.ts';
import type { HealthMonitor } from './health.ts';
import { factoryReset, getDevice, getHealth, getLogs, reboot, shutdown } from './schema.ts';

export function deviceRoutes(device: Device, health: HealthMonitor): Route[] {
  return [
    serve(getDevice, () => device.get()),
    serve(getHealth, () => health.snapshot()),
    serve(getLogs, ({ query }) => device.logs(query)),
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
