/**
 * The messages between the agent and the reader program, as lines of JSON on the agent's unix socket
 * (`base/json-line-peer.ts`). The program connects and says hello; the agent configures it, and it reports its readers and
 * the tags in their fields.
 *
 * A connection begins anew: after `configure` the program sends `readers` and a `tag` for each tag that is present.
 */
import * as Type from 'typebox';
import { type Valid, validator } from '../validation/validator.ts';

export const PROTOCOL = 1;

/** Longest APDU: header, extended length, 65 535 bytes, extended expected length. */
export const MAX_APDU_BYTES = 65_544;
/** Longest NDEF message, in bytes: a type 4 tag's file is 65 535 with its length. */
export const MAX_NDEF_BYTES = 65_533;

const Name = Type.String({ minLength: 1, maxLength: 128 });
const Base64 = Type.String({ maxLength: 88_000 });
const Hex = Type.String({ maxLength: 64, pattern: '^(?:[0-9A-F]{2})+$' });
const Count = Type.Integer({ minimum: 0, maximum: 2 ** 53 - 1 });
const Techs = Type.Array(Type.Enum(['iso-dep', 'ndef']), { maxItems: 2 });

export const BACKENDS = ['pn532-i2c', 'pn532-spi', 'acr122u'] as const;
const Backend = Type.Enum([...BACKENDS]);
export type Backend = (typeof BACKENDS)[number];

/** The first message of every connection, of any version of the protocol. */
export const Greeting = validator(Type.Object({ event: Type.Literal('hello'), protocol: Type.Integer() }));
export const Hello = validator(
  Type.Object({
    event: Type.Literal('hello'),
    protocol: Type.Literal(PROTOCOL),
    pid: Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 }),
  }),
);

/** One reader; `reader` is its id, the same after a reboot. */
const Reader = Type.Object({
  reader: Name,
  backend: Backend,
  /** Whether it is connected and answers. */
  present: Type.Boolean(),
  techs: Techs,
  has_led: Type.Boolean(),
  has_buzzer: Type.Boolean(),
  /** Why it is not present, as a sentence for the operator. */
  problem: Type.Optional(Type.String({ maxLength: 512 })),
});

/**
 * All readers: those that are or were connected since the last change of the backend, and those that are configured by
 * name. Sent after `configure`, and when anything in it changes. `problem` says why no reader can be looked for.
 */
export const Readers = validator(
  Type.Object({
    event: Type.Literal('readers'),
    readers: Type.Array(Reader, { maxItems: 32 }),
    problem: Type.Optional(Type.String({ maxLength: 512 })),
  }),
);
export type ReaderState = Valid<typeof Readers>['readers'][number];

/** A tag entered a reader's field. `tag` numbers the stay of this tag, and is never used again by this program. */
export const Tag = validator(
  Type.Object({
    event: Type.Literal('tag'),
    reader: Name,
    tag: Count,
    uid: Hex,
    atqa: Hex,
    sak: Hex,
    techs: Techs,
    /** The NDEF message in base64; absent when there is none or it could not be read. */
    ndef: Type.Optional(Base64),
    /** Reading it failed: whether it has a message is not known. */
    unread: Type.Optional(Type.Boolean()),
  }),
);
export type TagSeen = Valid<typeof Tag>;

/** A tag left a reader's field. A reader that is not present any more has no tags, without this event. */
export const TagGone = validator(Type.Object({ event: Type.Literal('tag_gone'), reader: Name, tag: Count }));

export const Named = validator(Type.Object({ event: Type.String({ maxLength: 50 }) }));

/** Why a command failed. */
export const CODES = [
  /** No such reader, or it is not present. */
  'no_reader',
  /** The tag has left. */
  'no_tag',
  /** The tag cannot do it: not ISO-DEP, not NDEF, read-only, too small; the reader has no light. */
  'unsupported',
  /** The tag has a message, and `if_empty` is set. Nothing was written. */
  'not_empty',
  /** The reader or the tag did not do it. */
  'failed',
  /** Too many commands wait for this reader. */
  'busy',
  /** The command is malformed. */
  'refused',
] as const;

/** What a tag contains after a write that failed. */
export const TAG_STATES = ['unchanged', 'empty', 'written', 'unknown'] as const;

/** The answer to a command. */
export const Answer = validator(
  Type.Object({
    id: Count,
    ok: Type.Boolean(),
    code: Type.Optional(Type.Enum([...CODES])),
    message: Type.Optional(Type.String({ maxLength: 512 })),
    tag_state: Type.Optional(Type.Enum([...TAG_STATES])),
  }),
);
export type Code = (typeof CODES)[number];
export type TagState = (typeof TAG_STATES)[number];

/** The answer to `transceive`: what the tag answered with its status word, in base64. */
export const Transceived = validator(Type.Object({ response: Base64 }));
/** The answer to `write_ndef`. */
export const Written = validator(Type.Object({ written_bytes: Count }));

const command = <const Name extends string>(name: Name) => ({ id: Count, command: Type.Literal(name) });

/** Says what to do from now on. Only what differs from before has an effect. */
export const Configure = validator(
  Type.Object({
    ...command('configure'),
    backend: Type.Enum(['auto', ...BACKENDS]),
    i2c: Type.Object({ bus: Count, address: Type.Integer({ minimum: 3, maximum: 0x77 }) }),
    spi: Type.Object({ bus: Count, cs: Count }),
    /** Time between two looks for tags, in ms. */
    poll_ms: Type.Integer({ minimum: 50, maximum: 60_000 }),
    /** Light and sound when a tag is seen. */
    feedback_on_detect: Type.Boolean(),
  }),
);
export type Settings = Omit<Valid<typeof Configure>, 'id' | 'command'>;

/** Exchanges one APDU with a tag. */
export const Transceive = validator(
  Type.Object({ ...command('transceive'), reader: Name, tag: Count, apdu: Base64 }),
);
/** Replaces the NDEF message of a tag, and reads it back. */
export const WriteNdef = validator(
  Type.Object({
    ...command('write_ndef'),
    reader: Name,
    tag: Count,
    message: Base64,
    /** Write only if the tag has no message; it is read first. */
    if_empty: Type.Optional(Type.Boolean()),
  }),
);
/** Drives a reader's light and buzzer. */
export const Feedback = validator(
  Type.Object({
    ...command('feedback'),
    reader: Name,
    led: Type.Optional(Type.Enum(['off', 'green', 'red', 'orange'])),
    buzzer_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000 })),
  }),
);
export const Command = validator(Type.Object({ id: Count, command: Type.String({ maxLength: 50 }) }));
