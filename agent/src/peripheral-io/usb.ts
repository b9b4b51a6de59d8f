import { setTimeout as sleep } from 'node:timers/promises';
import type { Watch } from '../base/watch.ts';
import { bytesOf, type Driver, type DriverOptions, fitting, unknownCommand } from './driver.ts';
import { CommandError, orElse } from './errors.ts';
import { Handles } from './handles.ts';
import { COMMANDS } from './protocol.ts';
import { UsbDevice } from './usb-device.ts';
import { type LibusbDevice, loadLibrary, type UsbLibrary } from './usb-library.ts';

const NODE = /^\/dev\/bus\/usb\/(\d{3})\/(\d{3})$/;
/** Libusb hears of a new device at about the same time as the agent: how often and how long it is asked, in ms. */
const LOOK_MS = 50;
const LOOKS = 40;
const commands = COMMANDS.usb;

/** Drives USB devices through libusb. */
export class UsbDriver implements Driver {
  readonly #watch: Watch;
  readonly #load: () => UsbLibrary;
  readonly #handles: Handles<UsbDevice>;
  #library: UsbLibrary | undefined;

  /** @param load for tests */
  constructor({ emit, watch }: DriverOptions, load = loadLibrary) {
    this.#watch = watch;
    this.#load = load;
    this.#handles = new Handles(emit);
  }

  async execute(command: string, message: unknown): Promise<object> {
    const handles = this.#handles;
    switch (command) {
      case 'open': {
        const { handle, node } = fitting(commands.open, message);
        await handles.open(handle, node, () => this.#open(node));
        return {};
      }
      case 'close':
        await handles.close(fitting(commands.close, message).handle);
        return {};
      case 'select_configuration': {
        const { handle, value } = fitting(commands.select_configuration, message);
        await handles.run(handle, (device) => device.selectConfiguration(value));
        return {};
      }
      case 'claim_interface': {
        const { handle, interface: number, detach } = fitting(commands.claim_interface, message);
        await handles.run(handle, (device) => device.claim(number, detach));
        return {};
      }
      case 'release_interface': {
        const { handle, interface: number } = fitting(commands.release_interface, message);
        await handles.run(handle, (device) => device.release(number));
        return {};
      }
      case 'select_alternate': {
        const { handle, interface: number, alternate } = fitting(commands.select_alternate, message);
        await handles.run(handle, (device) => device.selectAlternate(number, alternate));
        return {};
      }
      case 'clear_halt': {
        const { handle, direction, endpoint } = fitting(commands.clear_halt, message);
        await handles.run(handle, (device) => device.clearHalt(direction, endpoint));
        return {};
      }
      case 'reset':
        await handles.run(fitting(commands.reset, message).handle, (device) => device.reset());
        return {};
      default:
        return await this.#transfer(command, message);
    }
  }

  async closeAll(): Promise<void> {
    await this.#handles.closeAll();
  }

  async #transfer(command: string, message: unknown): Promise<object> {
    const handles = this.#handles;
    switch (command) {
      case 'control_in': {
        const { handle, setup, length } = fitting(commands.control_in, message);
        return await handles.run(handle, (device) => device.controlIn(setup, length), length);
      }
      case 'control_out': {
        const { handle, setup, data } = fitting(commands.control_out, message);
        const bytes = bytesOf(data);
        return await handles.run(handle, (device) => device.controlOut(setup, bytes), bytes.length);
      }
      case 'transfer_in': {
        const { handle, endpoint, length } = fitting(commands.transfer_in, message);
        return await handles.run(handle, (device) => device.transferIn(endpoint, length), length);
      }
      case 'transfer_out': {
        const { handle, endpoint, data } = fitting(commands.transfer_out, message);
        const bytes = bytesOf(data);
        return await handles.run(handle, (device) => device.transferOut(endpoint, bytes), bytes.length);
      }
      default:
        return unknownCommand();
    }
  }

  async #open(node: string): Promise<UsbDevice> {
    const [, bus, address] = NODE.exec(node) ?? [];
    const library = this.#start();
    const device = await this.#find(library, Number(bus), Number(address));
    await orElse('NetworkError', 'Failed to open the device.', () => device.open(false));
    return new UsbDevice(device, library, this.#watch);
  }

  /** Loads the library, and hears of unplugged devices from then on. */
  #start(): UsbLibrary {
    if (this.#library) return this.#library;
    const library = this.#load();
    library.onDetach((device) => {
      const handle = this.#handles.find((open) => open.device === device);
      if (handle !== undefined) this.#handles.lose(handle, 'The device was disconnected.');
    });
    this.#library = library;
    return library;
  }

  async #find(library: UsbLibrary, bus: number, address: number): Promise<LibusbDevice> {
    for (let look = 0; look < LOOKS; look += 1) {
      const found = library
        .devices()
        .find(({ busNumber, deviceAddress }) => busNumber === bus && deviceAddress === address);
      if (found) return found;
      if (Number.isNaN(bus)) break;
      await sleep(LOOK_MS);
    }
    throw new CommandError('NotFoundError', 'The device is not there.');
  }
}
