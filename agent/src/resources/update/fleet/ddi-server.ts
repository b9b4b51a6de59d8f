import { createHash } from 'node:crypto';
import type { FleetConfig } from './config.ts';

/** A server, and the name by which it knows this device. */
export interface DdiServer {
  /** Without tenant. */
  url: string;
  tenant: string;
  controllerId: string;
  token: { kind: 'TargetToken' | 'GatewayToken'; value: string } | undefined;
}

/** @param serial the name of this device when none is configured @returns undefined if no server is configured */
export function serverOf(config: FleetConfig, serial: string): DdiServer | undefined {
  const { url, tenant, controller_id, target_token, gateway_token } = config;
  if (url === null) return undefined;
  const token =
    target_token !== null
      ? ({ kind: 'TargetToken', value: target_token } as const)
      : gateway_token !== null
        ? ({ kind: 'GatewayToken', value: gateway_token } as const)
        : undefined;
  return { url, tenant, controllerId: controller_id ?? serial, token };
}

/** Names server and device in what is stored, without the token. */
export function keyOf({ url, tenant, controllerId }: DdiServer): string {
  return createHash('sha256')
    .update(JSON.stringify([url, tenant, controllerId]))
    .digest('hex')
    .slice(0, 32);
}
