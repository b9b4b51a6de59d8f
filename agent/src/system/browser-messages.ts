/** What the browser says, line by line (browser/PROTOCOL.md). */
import { Type } from 'typebox';

/** To a command. */
export const Answer = Type.Object({
  id: Type.Integer(),
  ok: Type.Boolean(),
  message: Type.Optional(Type.String()),
});
/** The first line of every connection. */
export const Hello = Type.Object({
  event: Type.Literal('hello'),
  protocol: Type.Literal(1),
  pid: Type.Integer({ minimum: 1 }),
  webkit: Type.String(),
  uri: Type.Union([Type.String(), Type.Null()]),
});
/** What the display hears of. */
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
/** A page asked for what it may not have. */
export const Blocked = Type.Object({
  event: Type.Literal('blocked'),
  what: Type.String(),
  detail: Type.String(),
});
/** A page fetches something from `vitrine:`. */
export const Resource = Type.Object({
  event: Type.Literal('resource'),
  request: Type.Integer(),
  uri: Type.String(),
});
/** Of the answer to `screenshot`. */
export const Picture = Type.Object({ png: Type.String() });
/** Of the answer to `configure`. */
export const Configured = Type.Object({ restart_required: Type.Boolean() });
