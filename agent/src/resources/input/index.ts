import { ApiError } from '../../contract/errors.ts';
import { bindGroup, NOT_APPLIED_HERE } from '../config/group.ts';
import { display } from '../display/index.ts';
import type { Browser } from '../display/ports.ts';
import { defineResource } from '../resource.ts';
import { serve } from '../route.ts';
import { inputConfig } from './config.ts';
import type { InputDevices, KeyboardLayout, VirtualInput } from './ports.ts';
import { RemoteInput } from './remote-input.ts';
import * as contract from './schema.ts';
import { Touches } from './touches.ts';

/** Time for an answer of the page, in ms. */
const PING_MS = 2500;
/** Time for a frame of the page, in ms. The first one takes long on a slow device, and a screen that is off shows none. */
const FRAME_MS = 1500;
const FRAME_SCRIPT = 'return new Promise(requestAnimationFrame)';

export interface InputPorts {
  inputDevices: InputDevices;
  /** Undefined when the compositor does not belong to the device. */
  keyboardLayout: KeyboardLayout | undefined;
  /** Undefined when the compositor does not belong to the device. */
  virtualInput: VirtualInput | undefined;
  browser: Pick<Browser, 'ping' | 'evaluate'>;
}

export const input = defineResource({
  async create(
    { bus, config, log, use },
    { inputDevices, keyboardLayout, virtualInput, browser }: InputPorts,
  ) {
    const { display: screen, restartBrowser } = await use(display);
    const setLayout = async () => {
      // The compositor ends with the browser, and starts with the new layout.
      if (await keyboardLayout?.set(config.get(inputConfig).keyboard_layout)) restartBrowser();
    };
    const touches = new Touches({ devices: inputDevices, bus, rotation: () => screen.screens.rotation });
    const stop = bus.produceOnDemand(contract.inputRaw, touches.start);
    const list = async () => (await inputDevices.list()).map(({ hasPositions, ...device }) => device);
    const isRemote = () => config.get(inputConfig).remote;
    const remote =
      virtualInput &&
      new RemoteInput({
        input: virtualInput,
        hasScreen: () => screen.screens.primary?.connected === true,
        ping: () => browser.ping(PING_MS, { afterInput: true }),
        // A page that answers nothing, or something else, only changes the time.
        frame: () => browser.evaluate(FRAME_SCRIPT, FRAME_MS).catch(() => undefined),
        log,
      });
    const opened = () => {
      if (!remote) throw new ApiError('unavailable', 'This computer’s compositor is not the device’s own.');
      if (!isRemote()) throw new ApiError(contract.remoteInputDisabled);
      return remote;
    };
    return {
      service: undefined,
      routes: [
        serve(contract.getInputDevices, list),
        serve(
          contract.injectInput,
          ({ body }) => opened().inject(body.events),
          () => void opened(),
        ),
      ],
      config: [
        bindGroup(inputConfig, keyboardLayout ? setLayout : NOT_APPLIED_HERE, {
          remote: remote ? () => remote.configure(isRemote()) : NOT_APPLIED_HERE,
        }),
      ],
      start: async () => {
        await remote?.configure(isRemote());
        // The file may be of a configuration that has been changed since.
        if (keyboardLayout) await config.applyStored('input.keyboard_layout');
      },
      stop: () => {
        remote?.stop();
        stop();
      },
    };
  },
});
