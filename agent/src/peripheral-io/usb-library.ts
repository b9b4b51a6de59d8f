import { CommandError } from './errors.ts';
import { loadLibusb } from './native.ts';

export type Done = (error?: Error) => void;

export interface Alternate {
  bInterfaceNumber: number;
  bAlternateSetting: number;
  endpoints: { bEndpointAddress: number; bmAttributes: number }[];
}

/** What is used of the package's Device. Interfaces are meant by their numbers, which its class Interface confuses with indexes. */
export interface LibusbDevice {
  readonly busNumber: number;
  readonly deviceAddress: number;
  readonly configDescriptor: { bConfigurationValue: number; interfaces: Alternate[][] } | undefined;
  open(defaultConfig: boolean): void;
  close(): void;
  reset(done: Done): void;
  __setConfiguration(value: number, done: Done): void;
  __claimInterface(number: number): void;
  __releaseInterface(number: number, done: Done): void;
  __setInterface(number: number, alternate: number, done: Done): void;
  __clearHalt(address: number, done: Done): void;
  __isKernelDriverActive(number: number): boolean;
  __detachKernelDriver(number: number): void;
  __attachKernelDriver(number: number): void;
}

export interface TransferTarget {
  device: LibusbDevice;
  /** Of the endpoint. */
  address: number;
  type: number;
  /** 0 waits for ever. */
  timeoutMs: number;
}

export interface UsbLibrary {
  devices(): LibusbDevice[];
  onDetach(listener: (device: LibusbDevice) => void): void;
  /**
   * Begins a transfer, whose result is in `bytes`.
   * @throws Error if it does not begin
   */
  transfer(
    target: TransferTarget,
    bytes: Buffer,
    done: (error: unknown, bytes: Buffer, length: number) => void,
  ): { cancel(): unknown };
}

/** @throws CommandError */
export function loadLibrary(): UsbLibrary {
  const libusb = loadLibusb();
  if (libusb.INIT_ERROR !== 0) throw new CommandError('NotSupportedError', 'libusb does not start.');
  type Device = ReturnType<typeof libusb.getDeviceList>[number];
  /** The library accepts its own devices only. */
  const own = new WeakMap<LibusbDevice, Device>();
  return {
    devices: () => {
      const devices = libusb.getDeviceList();
      for (const device of devices) own.set(device, device);
      return devices;
    },
    onDetach: (listener) => void libusb.on('detach', listener),
    transfer: ({ device, address, type, timeoutMs }, bytes, done) => {
      const known = own.get(device);
      if (!known) throw new CommandError('NotFoundError', 'The device is not there.');
      return new libusb.Transfer(known, address, type, timeoutMs, done).submit(bytes);
    },
  };
}
