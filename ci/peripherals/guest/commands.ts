import type { Static } from 'typebox';
import * as Type from 'typebox';
import { HID_KINDS } from './hid/descriptors.ts';
import { SERIAL_MODELS } from './serial/models.ts';
import { LabIdentity } from './usb/identity.ts';

const Device = Type.Integer({ minimum: 1 });
const Hex = Type.String({ pattern: '^([0-9a-f]{2})*$', maxLength: 8192 });
const Word = Type.Integer({ minimum: 0, maximum: 0xffff });

/** What the test asks the program in the guest to do. Those that make a device give its number; it is not plugged in yet. */
export const PeripheralCommand = Type.Union([
  Type.Object({
    do: Type.Literal('hid'),
    kind: Type.Enum([...HID_KINDS]),
    vendor: Word,
    product: Word,
    name: Type.String({ maxLength: 100 }),
    serialNumber: Type.String({ maxLength: 60 }),
    /** A report descriptor instead of that of `kind`; its reports have no ids. */
    descriptor: Type.Optional(Hex),
    /** Bytes of each report of a vendor's collection. */
    reportBytes: Type.Optional(Type.Integer({ minimum: 1, maximum: 255 })),
    /** It gives output reports back as input reports. */
    echoes: Type.Boolean(),
  }),
  Type.Object({
    do: Type.Literal('serial'),
    controller: Type.String(),
    identity: LabIdentity,
    model: Type.Enum([...SERIAL_MODELS]),
  }),
  Type.Object({
    do: Type.Literal('usb'),
    controller: Type.String(),
    identity: LabIdentity,
    kind: Type.Enum(['loopback', 'printer']),
    secondClass: Type.Optional(Type.Integer({ minimum: 0, maximum: 0xff })),
  }),
  Type.Object({ do: Type.Literal('plug'), device: Device, is_plugged: Type.Boolean() }),
  /** Sends an input report. It begins with its id if the device's reports have ids. */
  Type.Object({ do: Type.Literal('input'), device: Device, report: Hex }),
  /** What hosts have sent to a HID device since the last call. */
  Type.Object({ do: Type.Literal('sent'), device: Device }),
  Type.Object({
    do: Type.Literal('scan'),
    device: Device,
    text: Type.String({ maxLength: 1000 }),
    aim: Type.String({ minLength: 3, maxLength: 3 }),
    symbology: Type.Integer({ minimum: 0, maximum: 255 }),
  }),
  /** Sends an event at the interrupt endpoint. Does not wait until the host has fetched it. */
  Type.Object({ do: Type.Literal('event'), device: Device, data: Hex }),
  /** Lets the next bulk transfers to the host stall. */
  Type.Object({ do: Type.Literal('stall'), device: Device }),
  /** What a printer has printed since the last call, or the flash of a chip, in base64. */
  Type.Object({ do: Type.Literal('take'), device: Device }),
]);
export type PeripheralCommand = Static<typeof PeripheralCommand>;
