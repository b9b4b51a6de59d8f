import type { Route } from '../../contract/endpoint.ts';
import { bindNothing } from '../config/group.ts';
import { device } from '../device/index.ts';
import { type RadioState, radioRoutes } from '../radio-routes.ts';
import { defineResource } from '../resource.ts';
import { wifiConfig } from './config.ts';
import * as contract from './schema.ts';

export const wifi = defineResource({
  contract,
  config: [wifiConfig],
  async create({ board, config, use }) {
    const system = await use(device);
    return {
      service: undefined,
      routes: wifiRoutes({
        hasRadio: async () => board.managesRadios && (await system.get()).capabilities.wifi,
        isEnabled: () => config.get(wifiConfig).enabled,
      }),
      config: [bindNothing(wifiConfig)],
    };
  },
});

export function wifiRoutes(state: RadioState): Route[] {
  const { getWifi, scanWifi, getWifiNetworks, setWifiNetworks, connectWifi, setAccessPoint } = contract;
  const endpoints = [getWifi, scanWifi, getWifiNetworks, setWifiNetworks, connectWifi, setAccessPoint];
  return radioRoutes('wifi', endpoints, state);
}
