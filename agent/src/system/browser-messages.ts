/** The messages of the browser (browser/PROTOCOL.md). */
import { Type } from 'typebox';

export const PROTOCOL = 3;

/** The first message of every connection, of any version of the protocol. */
export const Greeting = Type.Object({ event: Type.Literal('hello'), protocol: Type.Integer() });
export const Hello = Type.Object({
  event: Type.Literal('hello'),
  protocol: Type.Literal(PROTOCOL),
  pid: Type.Integer({ minimum: 1 }),
  webkit: Type.String(),
  uri: Type.Union([Type.String(), Type.Null()]),
});

/** A piece of a long text, sent before the message that it belongs to. */
export const Part = Type.Object({
  body: Type.Integer(),
  part: Type.Integer(),
  data: Type.String(),
});
/** The message after the last piece: `field` is the member that the text goes to. */
export const Ending = Type.Object({
  body: Type.Integer(),
  parts: Type.Integer(),
  field: Type.String(),
});

/** The answer to a command. */
export const Answer = Type.Object({
  id: Type.Integer(),
  ok: Type.Boolean(),
  code: Type.Optional(Type.String()),
  message: Type.Optional(Type.String()),
});
/** The answer to `configure`. */
export const Configured = Type.Object({ restart_required: Type.Boolean() });
/** The answer to `screenshot`. */
export const Picture = Type.Object({ png: Type.String() });
/** The answers to `evaluate`; both texts are JSON. */
export const Value = Type.Object({ value: Type.String() });
export const Exception = Type.Object({ exception: Type.String() });

/** Events that are passed on as they are. */
export const Event = Type.Union([
  Type.Object({
    event: Type.Literal('load'),
    state: Type.Enum(['started', 'redirected', 'committed', 'finished']),
    load: Type.Integer(),
    uri: Type.String(),
    status: Type.Optional(Type.Integer()),
    authentication_required: Type.Optional(Type.Boolean()),
  }),
  Type.Object({
    event: Type.Literal('load_failed'),
    load: Type.Integer(),
    uri: Type.String(),
    kind: Type.Enum(['network', 'tls', 'policy', 'cancelled']),
    message: Type.String(),
  }),
  Type.Object({ event: Type.Literal('painted'), load: Type.Integer() }),
  Type.Object({
    event: Type.Literal('page_gone'),
    reason: Type.Enum(['crashed', 'memory', 'terminated']),
  }),
]);
/** The page opened or closed its channel. */
export const Channel = Type.Object({
  event: Type.Literal('channel'),
  channel: Type.Integer(),
  open: Type.Boolean(),
  origin: Type.String(),
});
/** The page sent a message; `data` is its JSON. */
export const Message = Type.Object({
  event: Type.Literal('message'),
  channel: Type.Integer(),
  origin: Type.String(),
  data: Type.String(),
});
/** The page asked for something that pages may not do. */
export const Blocked = Type.Object({
  event: Type.Literal('blocked'),
  what: Type.String(),
  detail: Type.String(),
});
/** The page fetches something from `vitrine:`. */
export const Resource = Type.Object({
  event: Type.Literal('resource'),
  request: Type.Integer(),
  uri: Type.String(),
});
/** Any event. */
export const Named = Type.Object({ event: Type.String() });
