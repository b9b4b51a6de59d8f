import { serve } from '../../contract/endpoint.ts';
import { display } from '../display/index.ts';
import { defineResource } from '../resource.ts';
import type { InputDevices } from './ports.ts';
import * as contract from './schema.ts';
import { Touches } from './touches.ts';

export interface InputPorts {
  inputDevices: InputDevices;
}

export const input = defineResource({
  contract,
  async create({ bus, use }, { inputDevices }: InputPorts) {
    const { display: screen } = await use(display);
    const touches = new Touches({ devices: inputDevices, bus, rotation: () => screen.screens.rotation });
    const stop = bus.produceOnDemand(contract.inputRaw, touches.start);
    const list = async () => (await inputDevices.list()).map(({ hasPositions, ...device }) => device);
    return { service: undefined, routes: [serve(contract.getInputDevices, list)], stop };
  },
});
