import type { Board } from '../../base/board.ts';
import { badRequest } from '../../contract/issues.ts';
import { bindGroup, bindNothing } from '../config/group.ts';
import type { ConfigStore } from '../config/store.ts';
import { deviceConfig } from '../device/config.ts';
import { device } from '../device/index.ts';
import { display } from '../display/index.ts';
import { network } from '../network/index.ts';
import { networkChanged } from '../network/schema.ts';
import { radioGate } from '../radio.ts';
import { defineResource } from '../resource.ts';
import { type Gate, type Route, serve } from '../route.ts';
import { accessPointRules, wifiConfig } from './config.ts';
import type { WifiRadio } from './ports.ts';
import * as contract from './schema.ts';
import { Wifi } from './wifi.ts';

export interface WifiPorts {
  /** Undefined when the radios of this system do not belong to the device. */
  wifiRadio: WifiRadio | undefined;
}

export const wifi = defineResource({
  async create({ board, bus, config, log, use }, { wifiRadio: radio }: WifiPorts) {
    const system = await use(device);
    const { display: screen, setAccessPoint } = await use(display);
    const interfaces = await use(network);
    const stored = () => config.get(wifiConfig);
    const gate = radioGate(contract, {
      hasRadio: async () => radio?.interfaceName !== undefined,
      isEnabled: () => stored().enabled,
    });
    if (!radio) {
      return {
        service: undefined,
        routes: wifiRoutes(undefined, { config, board, gate }),
        config: [bindNothing(wifiConfig)],
      };
    }
    const service = new Wifi({
      radio,
      settings: () => ({ ...stored(), deviceName: config.get(deviceConfig).name }),
      addresses: (name) => interfaces.get().interfaces.find((each) => each.name === name)?.addresses ?? [],
      bus,
      log,
      onAccessPoint: () => screen.waitingPageChanged(),
      recovered: () => void config.applyStored('wifi.enabled'),
    });
    setAccessPoint(() => service.accessPoint);
    bus.provideState(contract.wifiChanged, async () => {
      await gate();
      return await service.get();
    });
    const stops = [
      bus.on(networkChanged, () => service.networkChanged()),
      system.onNameChanged(async () => service.settingsChanged()),
    ];
    return {
      service: undefined,
      routes: wifiRoutes(service, { config, board, gate }),
      config: [bindGroup(wifiConfig, () => service.apply())],
      problems: () => service.problems(),
      // The screen and the links do not wait for it.
      ready: () => service.start(),
      stop: () => {
        for (const stop of stops) stop();
        service.stop();
      },
    };
  },
});

/** @param service undefined if the gate is always closed */
export function wifiRoutes(
  service: Wifi | undefined,
  { config, board, gate }: { config: ConfigStore; board: Pick<Board, 'dualBandRadio'>; gate: Gate },
): Route[] {
  const opened = () => {
    if (!service) throw new Error('the gate of Wi-Fi is open without a radio');
    return service;
  };
  const stored = () => config.get(wifiConfig);
  return [
    serve(contract.getWifi, () => opened().get(), gate),
    serve(contract.scanWifi, () => opened().scan(), gate),
    serve(contract.getWifiNetworks, () => [...stored().networks], gate),
    serve(
      contract.setWifiNetworks,
      async ({ body }) => {
        await config.patch({ wifi: { networks: body } });
        return [...stored().networks];
      },
      gate,
    ),
    serve(contract.connectWifi, ({ body }) => opened().connect(body.ssid), gate),
    serve(
      contract.setAccessPoint,
      async ({ body: { active, ap = {} } }) => {
        if (!active) return await opened().stopAccessPoint();
        const wanted = { ...stored(), mode: 'ap' as const, ap: opened().accessPointWith(ap) };
        const broken = accessPointRules(wanted, board);
        if (broken.length > 0) throw badRequest('', broken);
        return await opened().startAccessPoint(ap);
      },
      gate,
    ),
  ];
}
