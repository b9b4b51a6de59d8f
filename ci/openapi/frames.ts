import { type TSchema, Type } from 'typebox';
import { API_VERSION, BASE_PATH } from '../../agent/src/contract/api.ts';
import { ErrorEnvelopeSchema, Timestamp } from '../../agent/src/contract/shared.ts';
import type { Topic } from '../../agent/src/contract/topics.ts';

const Id = Type.Union([Type.String({ minLength: 1, maxLength: 256 }), Type.Number()], {
  $id: 'FrameId',
  description: 'Chosen by the host; `1` and `"1"` are two',
});
const Seen = Type.Integer({ minimum: 0 });
const Base64 = Type.String({ contentEncoding: 'base64' });

const PageMessage = Type.Object(
  { type: Type.Literal('page_message'), payload: Type.Unknown() },
  { $id: 'PageMessageFrame', description: 'As POST /page/message' },
);
const ErrorFrame = Type.Object(
  { type: Type.Literal('error'), ...ErrorEnvelopeSchema.properties },
  {
    $id: 'ErrorFrame',
    description: 'Of a frame that is no request: `bad_frame` when it is not JSON, else the code that fits',
  },
);

const Hello = Type.Object(
  {
    type: Type.Literal('hello'),
    serial: Type.String(),
    api: Type.Literal(API_VERSION),
    name: Type.String(),
    model: Type.String(),
    version: Type.String({ description: 'Of the software' }),
  },
  { $id: 'HelloFrame', description: 'Sent at once when the host opens the port, and after a shell' },
);
const HelloRequest = Type.Object(
  { type: Type.Literal('hello') },
  { $id: 'HelloRequestFrame', description: 'Asks for another HelloFrame' },
);
const Request = Type.Object(
  {
    id: Id,
    type: Type.Literal('request'),
    method: Type.Enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
    path: Type.String({ pattern: `^${BASE_PATH}/`, description: 'Whole path with its query' }),
    body: Type.Optional(Type.Unknown({ description: 'The JSON body' })),
    body_b64: Type.Optional(Base64),
  },
  {
    $id: 'RequestFrame',
    description:
      'An empty `body_b64` to an endpoint that takes a binary body opens an upload; anything else is answered at once.',
  },
);
const RequestChunk = Type.Object(
  { id: Id, type: Type.Literal('request_chunk'), seq: Seen, last: Type.Boolean(), data_b64: Base64 },
  { $id: 'RequestChunkFrame', description: 'At most 16 KiB decoded; `seq` counts from 0 without a gap' },
);
const Response = Type.Object(
  {
    id: Id,
    type: Type.Literal('response'),
    status: Type.Integer({ minimum: 200, maximum: 599 }),
    body: Type.Optional(Type.Unknown({ description: 'As over REST; absent for 204' })),
    body_b64: Type.Optional(Base64),
  },
  { $id: 'ResponseFrame', description: '`body_b64` in place of `body` for answers that are not JSON' },
);
const Shell = Type.Object(
  { type: Type.Literal('shell') },
  { $id: 'ShellFrame', description: 'Switches the link to a root shell; not part of the contract' },
);

/** Frames by link and direction. */
export interface Frames {
  /** Any event. */
  event: TSchema;
  /** The events by topic. */
  events: ReadonlyMap<string, TSchema>;
  webSocket: { client: TSchema[]; server: TSchema[] };
  serial: { host: TSchema[]; device: TSchema[] };
}

/** The name of a topic's event in the document: `display_state` has DisplayStateEvent. */
function eventName(topic: string): string {
  const words = topic.split('_').map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`);
  return `${words.join('')}Event`;
}

/** The frames of both links that carry events; the topic determines an event's payload. */
export function frames(topics: readonly Topic[]): Frames {
  const states = topics.filter(({ isState }) => isState).map(({ name }) => `\`${name}\``);
  const TopicName = Type.Enum(
    topics.map(({ name }) => name),
    { $id: 'TopicName' },
  );
  const Subscribe = Type.Object(
    {
      type: Type.Literal('subscribe'),
      topics: Type.Array(TopicName),
      snapshot: Type.Optional(
        Type.Boolean({
          description: `Whether the present state follows as an event, for each of the topics that report one: ${states.join(', ')}`,
        }),
      ),
    },
    { $id: 'SubscribeFrame', description: 'Adds topics; answered by a SubscribedFrame' },
  );
  const Unsubscribe = Type.Object(
    { type: Type.Literal('unsubscribe'), topics: Type.Array(TopicName) },
    { $id: 'UnsubscribeFrame', description: 'Takes topics away; answered by a SubscribedFrame' },
  );
  const Subscribed = Type.Object(
    { type: Type.Literal('subscribed'), topics: Type.Array(TopicName) },
    { $id: 'SubscribedFrame', description: 'All topics that are now subscribed' },
  );
  const mapping = topics.map(({ name }) => [name, `#/components/schemas/${eventName(name)}`] as const);
  const events = new Map<string, TSchema>(
    topics.map(({ name, payload, summary }) => [
      name,
      Type.Object(
        { type: Type.Literal('event'), topic: Type.Literal(name), ts: Timestamp, payload },
        { $id: eventName(name), description: summary },
      ),
    ]),
  );
  const event = Type.Unsafe({
    $id: 'EventFrame',
    oneOf: [...events.values()],
    discriminator: { propertyName: 'topic', mapping: Object.fromEntries(mapping) },
  });
  return {
    event,
    events,
    webSocket: { client: [Subscribe, Unsubscribe, PageMessage], server: [event, Subscribed, ErrorFrame] },
    serial: {
      host: [HelloRequest, Request, RequestChunk, Subscribe, Unsubscribe, PageMessage, Shell],
      device: [Hello, Response, event, Subscribed, ErrorFrame],
    },
  };
}
