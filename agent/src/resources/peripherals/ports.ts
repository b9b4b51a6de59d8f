/** What the agent needs of the peripherals at its USB host ports, and of the programs that drive them. */
import type { HidCollection } from './hid-collections.ts';
import type { UsbConfiguration } from './usb-descriptors.ts';

/** Kind of an interface to a peripheral: a hidraw node, a serial port, a USB device. */
export type Kind = 'hid' | 'serial' | 'usb';

interface Common {
  /** The kernel's name, unique among the peripherals that are plugged in: `hidraw0`, `ttyACM0`, `1-1.2`. */
  id: string;
  /** Differs from that of every other plugging in, also of the same peripheral. */
  instance: string;
  /** Path of the device node. */
  node: string;
  /** 16 bits; of a serial port without a USB device null. */
  vendorId: number | null;
  productId: number | null;
  /** Strings of the peripheral; null where it has none. */
  manufacturer: string | null;
  product: string | null;
  serialNumber: string | null;
  /** Id of the USB device that it belongs to; null for one that is not on USB. */
  usbDevice: string | null;
}

export interface HidPeripheral extends Common {
  kind: 'hid';
  /** Top-level collections of its report descriptor; empty if that could not be read. */
  collections: readonly HidCollection[];
}

export interface SerialPeripheral extends Common {
  kind: 'serial';
}

export interface UsbPeripheral extends Common {
  kind: 'usb';
  /** Of the USB specification, in binary coded decimal: 0x0210 is 2.1. */
  usbVersion: number;
  /** Of the device, in binary coded decimal. */
  deviceVersion: number;
  classCode: number;
  subclass: number;
  protocol: number;
  /** Value of the active configuration; null for a device that is not configured. */
  configuration: number | null;
  configurations: readonly UsbConfiguration[];
  /** Kernel drivers by the number of the interface that they are bound to, in the active configuration. */
  drivers: ReadonlyMap<number, string>;
}

export type Peripheral = HidPeripheral | SerialPeripheral | UsbPeripheral;

/** How the board's own gadget appears to a host, to which it may be connected by its own port. */
export interface GadgetIdentity {
  vendorId: number;
  productId: number;
  serialNumber: string | null;
}

/** The peripherals that are plugged in. */
export interface PeripheralInventory {
  /** At most 128, ordered by kind and id. The gadget's own ends (`ttyGS0`) are not among them. Does not reject. */
  list(): Promise<readonly Peripheral[]>;
  /** The gadget; undefined while there is none. */
  gadget(): Promise<GadgetIdentity | undefined>;
  /** Calls `listener` after something was plugged in or unplugged, until the returned function is called. */
  watch(listener: () => void): () => void;
}

/** Options of a serial port, as in the Web Serial API. */
export interface SerialOptions {
  baudRate: number;
  dataBits: 7 | 8;
  stopBits: 1 | 2;
  parity: 'none' | 'even' | 'odd';
  flowControl: 'none' | 'hardware';
}

/** Events of an open peripheral. `handle` is the number under which it was opened. */
export type IoEvent =
  /** An input report, without the report id. */
  | { event: 'input'; handle: number; report_id: number; data: string }
  /** Bytes that a serial port received, base64. */
  | { event: 'data'; handle: number; data: string }
  /** Receiving failed, and goes on: `BreakError`, `BufferOverrunError`, `FramingError`, `ParityError`. */
  | { event: 'receive_error'; handle: number; name: string }
  /** It is closed: unplugged, or it does not work any more. */
  | { event: 'closed'; handle: number; reason: string };

/**
 * The program that drives peripherals of one kind, a process of its own. When its connection to the agent ends, each open
 * handle gets the event `closed`.
 */
export interface PeripheralIo {
  /** Calls `listener` with every event until the returned function is called. */
  listen(listener: (event: IoEvent) => void): () => void;
  /**
   * Does a command of `peripheral-io/protocol.ts`; `open` starts the program if it does not run.
   * @returns the fields of the answer
   * @throws PageError with the name of a DOMException (`NetworkError` when the program has ended or is too slow)
   */
  call(command: string, fields: object): Promise<Record<string, unknown>>;
  /** Ends the program; what is open is closed. */
  stop(): Promise<void>;
}

/** Event of the displayed page's channel for peripherals (browser/PROTOCOL.md). */
export type DeviceChannelEvent =
  | {
      event: 'device_channel';
      /** Names this opening; never used again by this browser process. */
      channel: number;
      open: boolean;
      /** Of the committed URI of the top frame, as the browser knows it. */
      origin: string;
    }
  | { event: 'device_message'; channel: number /** JSON of 1 MiB at most. */; data: string };

/** The browser's end of the channel for peripherals. */
export interface PeripheralBrowser {
  /** Calls `listener` with every event of these kinds until the returned function is called. */
  on(
    kinds: readonly DeviceChannelEvent['event'][],
    listener: (event: DeviceChannelEvent) => void,
  ): () => void;
  /**
   * Says which pages get the channel, and the script that gives them the interfaces. Also for every later connection of
   * a browser. The open channel of a page whose origin is not in the list any more is closed.
   * @param script runs in the page's own world before its scripts, in the top frame of pages of these origins
   */
  serveDevices(origins: readonly string[], script: string): void;
  /** Sends JSON of 1 MiB at most; resolves when the page's listeners have run. At most 16 may wait. Rejects with a PeerError. */
  send(channel: number, data: string): Promise<void>;
  /** Lets the page send messages of this size more (`messageSize`), 64 at a time at most. */
  credit(channel: number, size: number): void;
}
