import type { PeripheralCommand } from './commands.ts';
import { hidShape, scanReports } from './hid/descriptors.ts';
import { HidDevice } from './hid/device.ts';
import { AcmDevice } from './serial/acm.ts';
import { serialModel } from './serial/models.ts';
import { FunctionDevice } from './usb/function-device.ts';
import type { LabUsbDevice } from './usb/identity.ts';

/** Folders of the lab in configfs begin so; the lab takes them apart by this name. */
const PREFIX = 'periph-lab-';

/** The peripherals that the lab has made. */
export class Lab {
  readonly #devices: (HidDevice | LabUsbDevice)[] = [];
  /** The USB device that is plugged in. */
  #usb: LabUsbDevice | undefined;

  /** @returns the result of a command, which can be JSON */
  async run(command: PeripheralCommand): Promise<unknown> {
    switch (command.do) {
      case 'hid': {
        const { kind, echoes, descriptor, reportBytes, ...identity } = command;
        const shape = hidShape(kind, reportBytes);
        const own = descriptor === undefined ? {} : { descriptor: Buffer.from(descriptor, 'hex') };
        return this.#devices.push(new HidDevice(identity, { ...shape, ...own }, echoes));
      }
      case 'serial': {
        const { controller, identity, model } = command;
        return this.#devices.push(new AcmDevice(this.#nextName(), controller, identity, serialModel(model)));
      }
      case 'usb': {
        const { controller, identity, kind, secondClass } = command;
        const second = secondClass === undefined ? {} : { secondClass };
        const options = { name: this.#nextName(), controller, identity, kind, ...second };
        return this.#devices.push(new FunctionDevice(options));
      }
      case 'plug': {
        this.#plug(this.#device(command.device), command.is_plugged);
        return;
      }
      case 'input':
        this.#hid(command.device).input(Buffer.from(command.report, 'hex'));
        return;
      case 'sent':
        return this.#hid(command.device).model.takeSent();
      case 'scan':
        for (const report of scanReports(command.text, command.aim, command.symbology)) {
          this.#hid(command.device).input(report);
        }
        return;
      case 'event':
        void this.#function(command.device)
          .sendEvent(Buffer.from(command.data, 'hex'))
          .catch(() => undefined);
        return;
      case 'stall':
        await this.#function(command.device).stall();
        return;
      case 'take': {
        const device = this.#device(command.device);
        return 'take' in device ? device.take().toString('base64') : '';
      }
    }
  }

  /** Unplugs everything. What is left in configfs is taken apart when the process has ended. */
  stop(): void {
    for (const device of this.#devices) {
      if (device instanceof HidDevice) device.unplug();
    }
    this.#usb?.unplug();
  }

  /** The controller takes one USB device: another one is unplugged. */
  #plug(device: HidDevice | LabUsbDevice, isPlugged: boolean): void {
    if (device instanceof HidDevice) {
      if (isPlugged) device.plug();
      else device.unplug();
    } else if ((this.#usb === device) !== isPlugged) {
      this.#usb?.unplug();
      this.#usb = undefined;
      if (!isPlugged) return;
      device.plug();
      this.#usb = device;
    }
  }

  #nextName(): string {
    return `${PREFIX}${this.#devices.length + 1}`;
  }

  #device(number: number): HidDevice | LabUsbDevice {
    const device = this.#devices[number - 1];
    if (!device) throw new Error(`there is no device ${number}`);
    return device;
  }

  #hid(number: number): HidDevice {
    const device = this.#device(number);
    if (!(device instanceof HidDevice)) throw new Error(`device ${number} is not of HID`);
    return device;
  }

  #function(number: number): FunctionDevice {
    const device = this.#device(number);
    if (!(device instanceof FunctionDevice)) throw new Error(`device ${number} has no such endpoints`);
    return device;
  }
}
