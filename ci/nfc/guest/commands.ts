import type { Static } from 'typebox';
import * as Type from 'typebox';
import { FAULTS } from './chip/pn532.ts';
import { TAG_KINDS } from './tags/make.ts';

/** The readers of the lab: a PN532 on each bus, and an ACR122U. */
export const READERS = ['i2c', 'spi', 'usb'] as const;
export type LabReader = (typeof READERS)[number];

const Count = Type.Integer({ minimum: 0, maximum: 1_000_000 });
const Reader = Type.Enum([...READERS]);
const Chip = Type.Enum(['i2c', 'spi']);
const TagName = Type.Integer({ minimum: 1 });

/** What the test asks the program in the guest to do. */
export const LabCommand = Type.Union([
  /** Makes `/dev/i2c-BUS` and `/dev/spidevBUS.0` in user space. */
  Type.Object({ do: Type.Literal('serve'), bus: Count, address: Count }),
  /** Answers for the kernel's own buses. */
  Type.Object({ do: Type.Literal('serve_kernel'), address: Count }),
  /** Makes the ACR122U, which is not plugged in yet. */
  Type.Object({ do: Type.Literal('usb'), controller: Type.String() }),
  Type.Object({ do: Type.Literal('plug'), is_plugged: Type.Boolean() }),
  /** Makes a tag, and gives its number. */
  Type.Object({
    do: Type.Literal('tag'),
    kind: Type.Enum([...TAG_KINDS]),
    uid: Type.String(),
    ndef: Type.Optional(Type.String()),
    isLocked: Type.Optional(Type.Boolean()),
    isBlank: Type.Optional(Type.Boolean()),
    fileBytes: Type.Optional(Count),
  }),
  /** With `commands`: it answers so many, and is then taken away. */
  Type.Object({
    do: Type.Literal('put'),
    reader: Reader,
    tag: TagName,
    commands: Type.Optional(Count),
  }),
  Type.Object({ do: Type.Literal('take'), reader: Reader, tag: TagName }),
  Type.Object({ do: Type.Literal('take_after'), reader: Reader, tag: TagName, commands: Count }),
  /** Takes all tags away and ends all faults, with power on. */
  Type.Object({ do: Type.Literal('clear') }),
  Type.Object({ do: Type.Literal('content'), tag: TagName }),
  Type.Object({ do: Type.Literal('power'), reader: Chip, is_on: Type.Boolean() }),
  /** Without `fault`: nothing fails any more. */
  Type.Object({
    do: Type.Literal('fail'),
    reader: Chip,
    fault: Type.Optional(Type.Object({ kind: Type.Enum([...FAULTS]), after: Count, times: Count })),
  }),
  /** The commands that a chip has got since the last time. */
  Type.Object({ do: Type.Literal('log'), reader: Chip }),
  /** The light and sound commands that the ACR122U got since the last call. */
  Type.Object({ do: Type.Literal('feedback') }),
]);
export type LabCommand = Static<typeof LabCommand>;
