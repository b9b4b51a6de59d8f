import type { Route } from '../../contract/endpoint.ts';
import { bindNothing } from '../config/group.ts';
import { device } from '../device/index.ts';
import { type RadioState, radioRoutes } from '../radio-routes.ts';
import { defineResource } from '../resource.ts';
import { bluetoothConfig } from './config.ts';
import * as contract from './schema.ts';

export const bluetooth = defineResource({
  contract,
  config: [bluetoothConfig],
  async create({ board, config, use }) {
    const system = await use(device);
    return {
      service: undefined,
      routes: bluetoothRoutes({
        hasRadio: async () => board.managesRadios && (await system.get()).capabilities.bluetooth,
        isEnabled: () => config.get(bluetoothConfig).enabled,
      }),
      config: [bindNothing(bluetoothConfig)],
    };
  },
});

export function bluetoothRoutes(state: RadioState): Route[] {
  const { getBluetooth, powerBluetooth, scanBluetooth, getBluetoothDevices } = contract;
  const endpoints = [getBluetooth, powerBluetooth, scanBluetooth, getBluetoothDevices];
  return radioRoutes('bluetooth', [...endpoints, contract.pairBluetooth, contract.removeBluetooth], state);
}
