import { bindGroup, NOT_APPLIED_HERE } from '../config/group.ts';
import { display } from '../display/index.ts';
import { defineResource } from '../resource.ts';
import { serve } from '../route.ts';
import { inputConfig } from './config.ts';
import type { InputDevices, KeyboardLayout } from './ports.ts';
import * as contract from './schema.ts';
import { Touches } from './touches.ts';

export interface InputPorts {
  inputDevices: InputDevices;
  /** Undefined when the compositor does not belong to the device. */
  keyboardLayout: KeyboardLayout | undefined;
}

export const input = defineResource({
  async create({ bus, config, use }, { inputDevices, keyboardLayout }: InputPorts) {
    const { display: screen, restartBrowser } = await use(display);
    const setLayout = async () => {
      // The compositor ends with the browser, and starts with the new layout.
      if (await keyboardLayout?.set(config.get(inputConfig).keyboard_layout)) restartBrowser();
    };
    const touches = new Touches({ devices: inputDevices, bus, rotation: () => screen.screens.rotation });
    const stop = bus.produceOnDemand(contract.inputRaw, touches.start);
    const list = async () => (await inputDevices.list()).map(({ hasPositions, ...device }) => device);
    return {
      service: undefined,
      routes: [serve(contract.getInputDevices, list)],
      config: [bindGroup(inputConfig, keyboardLayout ? setLayout : NOT_APPLIED_HERE)],
      // The file may be of a configuration that has been changed since.
      start: () => (keyboardLayout ? config.applyStored('input.keyboard_layout') : undefined),
      stop,
    };
  },
});
