import { API_VERSION, BASE_PATH } from '../../contract/api.ts';
import { deviceConfig } from '../device/config.ts';
import { device } from '../device/index.ts';
import type { Identity } from '../device/ports.ts';
import { network } from '../network/index.ts';
import { type Network as NetworkState, networkChanged } from '../network/schema.ts';
import { defineResource } from '../resource.ts';
import type { Announcer, SharedName } from './ports.ts';

/** The interface of the USB cable. */
const CABLE = 'gadget0';

export interface DiscoveryPorts {
  identity: Identity;
  /** Undefined on a computer that is not the appliance. */
  announcer: Announcer | undefined;
  sharedName: SharedName | undefined;
}

/** Lets hosts at the cable find this device. */
export const discovery = defineResource({
  async create({ bus, config, use }, { identity, announcer, sharedName }: DiscoveryPorts) {
    const { serial, model, version } = identity;
    const system = await use(device);
    const hostNetwork = await use(network);
    const answer = ({ interfaces }: NetworkState): void => {
      const cable = interfaces.find(({ name }) => name === CABLE);
      sharedName?.answerWith(cable?.addresses.find((address) => address.includes('.')));
    };
    const stops: (() => void)[] = [];
    return {
      service: undefined,
      routes: [],
      start: () => {
        stops.push(
          system.onNameChanged(async () => announcer?.changed()),
          bus.on(networkChanged, answer),
        );
        announcer?.start(() => {
          const { name } = config.get(deviceConfig);
          return { serial, name, model, version, api: API_VERSION, path: BASE_PATH };
        });
        answer(hostNetwork.get());
      },
      stop: async () => {
        for (const stop of stops) stop();
        sharedName?.answerWith(undefined);
        await announcer?.stop();
      },
    };
  },
});
