/** `HIDConnectionEvent` and `USBConnectionEvent`, which differ by the class of their device. */
import { typeError } from './builtins.ts';
import { dictionary } from './webidl.ts';

/** @param name of the device's class */
export const connectionEventClass = <D extends object>(
  isDevice: (value: unknown) => value is D,
  name: string,
) =>
  class extends Event {
    readonly #device: D;

    constructor(type: string, init: EventInit & { device: D }) {
      const device = dictionary(init, 'The init')('device');
      if (!isDevice(device)) throw typeError(`The device is not a ${name}.`);
      super(type, init);
      this.#device = device;
    }

    get device() {
      return this.#device;
    }
  };
