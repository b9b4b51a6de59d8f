import * as Type from 'typebox';
import type { UsbIdentity } from '../../../lab/guest/usb-gadget.ts';

const Word = Type.Integer({ minimum: 0, maximum: 0xffff });
const Byte = Type.Integer({ minimum: 0, maximum: 0xff });

/** How a USB device of the lab identifies itself. */
export const LabIdentity = Type.Object({
  vendor: Word,
  product: Word,
  productName: Type.String({ maxLength: 100 }),
  serialNumber: Type.String({ maxLength: 100 }),
  classCodes: Type.Optional(Type.Tuple([Byte, Byte, Byte])),
});
export type LabIdentity = Type.Static<typeof LabIdentity>;

export function usbIdentity({ classCodes, ...identity }: LabIdentity): UsbIdentity {
  return { ...identity, manufacturer: 'Peripherals lab', release: 0x0102, ...(classCodes && { classCodes }) };
}

/** A USB device that can be plugged into the second controller, one at a time. */
export interface LabUsbDevice {
  plug(): void;
  unplug(): void;
  /** What it has kept since the last call. */
  take(): Buffer;
}
