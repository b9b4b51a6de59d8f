import { badRequest } from '../../contract/issues.ts';
import { bindGroup, bindNothing } from '../config/group.ts';
import { deviceConfig } from '../device/config.ts';
import { device } from '../device/index.ts';
import { display } from '../display/index.ts';
import { network } from '../network/index.ts';
import { networkChanged } from '../network/schema.ts';
import { radioGate } from '../radio.ts';
import { defineResource } from '../resource.ts';
import { noneImplemented, serve } from '../route.ts';
import { accessPointRules, wifiConfig } from './config.ts';
import type { WifiRadio } from './ports.ts';
import * as contract from './schema.ts';
import { Wifi } from './wifi.ts';

export interface WifiPorts {
  /** Undefined on a computer whose radios are not the agent's. */
  wifiRadio: WifiRadio | undefined;
}

export const wifi = defineResource({
  async create({ board, bus, config, log, use }, { wifiRadio }: WifiPorts) {
    const system = await use(device);
    const { display: screen, setAccessPoint } = await use(display);
    const interfaces = await use(network);
    const stored = () => config.get(wifiConfig);
    const gate = radioGate(contract, {
      hasRadio: async () => wifiRadio !== undefined && (await system.get()).capabilities.wifi,
      isEnabled: () => stored().enabled,
    });
    if (!wifiRadio)
      return {
        service: undefined,
        routes: noneImplemented(contract, gate),
        config: [bindNothing(wifiConfig)],
      };
    const service = new Wifi({
      radio: wifiRadio,
      settings: () => ({ ...stored(), deviceName: config.get(deviceConfig).name }),
      addresses: (name) => interfaces.get().interfaces.find((each) => each.name === name)?.addresses ?? [],
      bus,
      log,
      onAccessPoint: () => screen.waitingPageChanged(),
    });
    setAccessPoint(() => service.accessPoint);
    const stops: (() => void)[] = [];
    return {
      service: undefined,
      routes: [
        serve(contract.getWifi, () => service.get(), gate),
        serve(contract.scanWifi, () => service.scan(), gate),
        serve(contract.getWifiNetworks, () => [...stored().networks], gate),
        serve(
          contract.setWifiNetworks,
          async ({ body }) => {
            await config.patch({ wifi: { networks: body } });
            return [...stored().networks];
          },
          gate,
        ),
        serve(contract.connectWifi, ({ body }) => service.connect(body.ssid), gate),
        serve(
          contract.setAccessPoint,
          async ({ body: { active, ap = {} } }) => {
            if (active) {
              const wanted = {
                ...stored(),
                enabled: true,
                mode: 'ap' as const,
                ap: service.accessPointWith(ap),
              };
              const broken = accessPointRules(wanted, board);
              if (broken.length > 0) throw badRequest('', broken);
            }
            return await service.setAccessPoint(active, ap);
          },
          gate,
        ),
      ],
      config: [bindGroup(wifiConfig, () => service.apply())],
      problems: () => service.problems(),
      // Starting the radio must not delay the screen.
      ready: () => {
        service.start();
        stops.push(
          bus.on(networkChanged, () => service.networkChanged()),
          system.onNameChanged(async () => service.settingsChanged()),
        );
      },
      stop: () => {
        for (const stop of stops) stop();
        service.stop();
      },
    };
  },
});
