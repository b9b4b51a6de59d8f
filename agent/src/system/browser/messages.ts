/** The messages of the browser (browser/PROTOCOL.md). */

import * as Type from 'typebox';
import { validator } from '../../validation/validator.ts';

export const PROTOCOL = 4;

/** Longest text that a page can choose in an event, in bytes; the schemas count characters. */
const MAX_TEXT = 16 * 1024;
/** Longest part of a text, in bytes. */
const MAX_PART = 64 * 1024;

const Text = Type.String({ maxLength: MAX_TEXT });
const Count = Type.Integer({ minimum: 0, maximum: 2 ** 53 - 1 });

/** The first message of every connection, of any version of the protocol. */
export const Greeting = validator(Type.Object({ event: Type.Literal('hello'), protocol: Type.Integer() }));
export const Hello = validator(
  Type.Object({
    event: Type.Literal('hello'),
    protocol: Type.Literal(PROTOCOL),
    pid: Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 }),
    webkit: Text,
    uri: Type.Union([Text, Type.Null()]),
  }),
);

/** A piece of a long text, sent before the message that it belongs to. */
export const Part = validator(
  Type.Object({
    body: Count,
    part: Count,
    data: Type.String({ minLength: 1, maxLength: MAX_PART }),
  }),
);
/** The message after the last piece: `field` is the member that the text goes to. */
export const Ending = validator(
  Type.Object({
    body: Count,
    parts: Count,
    field: Type.Enum(['png', 'value', 'exception', 'data']),
  }),
);

/** The answer to a command. */
export const Answer = validator(
  Type.Object({
    id: Count,
    ok: Type.Boolean(),
    code: Type.Optional(Text),
    message: Type.Optional(Text),
  }),
);
/** The answer to `configure`. */
export const Configured = validator(Type.Object({ restart_required: Type.Boolean() }));
/** The answer to `screenshot`. */
export const Picture = validator(Type.Object({ png: Type.String() }));
/** The answers to `evaluate`; both texts are JSON. */
export const Value = validator(Type.Object({ value: Type.String() }));
export const Exception = validator(Type.Object({ exception: Type.String() }));

/** Events that are passed on as they are. */
export const Event = validator(
  Type.Union([
    Type.Object({
      event: Type.Literal('load'),
      state: Type.Enum(['started', 'redirected', 'committed', 'finished']),
      load: Count,
      uri: Text,
      status: Type.Optional(Type.Integer()),
      authentication_required: Type.Optional(Type.Boolean()),
    }),
    Type.Object({
      event: Type.Literal('load_failed'),
      load: Count,
      uri: Text,
      kind: Type.Enum(['network', 'tls', 'policy', 'cancelled']),
      message: Text,
    }),
    Type.Object({ event: Type.Literal('moved'), uri: Text }),
    Type.Object({ event: Type.Literal('painted'), load: Count }),
    Type.Object({
      event: Type.Literal('page_gone'),
      reason: Type.Enum(['crashed', 'memory', 'terminated']),
    }),
    Type.Object({ event: Type.Literal('pac_failed'), reason: Type.Union([Text, Type.Null()]) }),
  ]),
);
/** The page opened or closed a channel. */
export const Channel = validator(
  Type.Object({
    event: Type.Literal('channel'),
    kind: Type.Enum(['page', 'devices']),
    channel: Count,
    open: Type.Boolean(),
    origin: Text,
  }),
);
/** The page sent a message on the channel with this number; `data` is its JSON. */
export const Message = validator(
  Type.Object({
    event: Type.Literal('message'),
    channel: Count,
    origin: Text,
    data: Type.String(),
  }),
);
/** A message of the page's console. */
export const Console = validator(
  Type.Object({
    event: Type.Literal('console'),
    level: Type.Enum(['debug', 'log', 'info', 'warn', 'error']),
    text: Text,
    source: Type.Union([Text, Type.Null()]),
    line: Type.Union([Type.Integer({ minimum: 1, maximum: 2 ** 32 }), Type.Null()]),
    left_out: Count,
  }),
);
/** The page asked for something that pages may not do. */
export const Blocked = validator(
  Type.Object({
    event: Type.Literal('blocked'),
    what: Text,
    detail: Text,
  }),
);
/** The page fetches something from `vitrine:`. */
export const Resource = validator(
  Type.Object({
    event: Type.Literal('resource'),
    request: Count,
    uri: Text,
  }),
);
/** Any event. */
export const Named = validator(Type.Object({ event: Type.String() }));
