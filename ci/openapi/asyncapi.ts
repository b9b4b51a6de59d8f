import type { TSchema } from 'typebox';
import { BASE_PATH } from '../../agent/src/contract/api.ts';
import type { Topic } from '../../agent/src/contract/topics.ts';
import { projectVersion } from '../image/lib/inputs.ts';
import { Components } from './components.ts';
import { frameExamples, NOW, payloads } from './examples/index.ts';
import { frames } from './frames.ts';
import type { Json, JsonObject } from './json.ts';
import { ABOUT_FRAMES, SERIAL, WEBSOCKET } from './texts.ts';

/** An AsyncAPI 3.0 document; only the parts that are used here are typed. */
export interface AsyncApi {
  asyncapi: string;
  info: JsonObject;
  defaultContentType: string;
  servers: JsonObject;
  channels: JsonObject;
  operations: JsonObject;
  components: { messages: JsonObject; schemas: JsonObject };
}

/** A frame that the device or a host sends. */
interface Message {
  /** Name in the document: that of the schema, without `Frame`. */
  name: string;
  schema: TSchema;
  examples: Json[];
  isEvent: boolean;
}

/** What the device answers to a frame, by the names of their messages. */
const REPLIES: Readonly<Record<string, readonly string[]>> = {
  Subscribe: ['Subscribed', 'Error'],
  Unsubscribe: ['Subscribed', 'Error'],
  PageMessage: ['Error'],
  HelloRequest: ['Hello'],
  Request: ['Response', 'Error'],
  RequestChunk: ['Response'],
  Shell: ['Error'],
};
/** Messages that belong to a request, by its `id`. */
const CORRELATED = ['Request', 'RequestChunk', 'Response'];

const HOST: JsonObject = {
  default: '10.55.77.1',
  description: 'Address of the device on its USB cable, or of a computer that runs it',
  examples: ['10.55.77.1', 'vitrine.local', '127.0.0.1:8080'],
};
const SERVERS: JsonObject = {
  network: {
    ...{ host: '{host}', pathname: BASE_PATH, protocol: 'ws' },
    description: 'The network link of the cable',
    variables: { host: HOST },
  },
  https: {
    ...{ host: '{host}', pathname: BASE_PATH, protocol: 'wss' },
    description: 'The same, once the device has a certificate',
    variables: { host: HOST },
  },
  serial: {
    ...{ host: '{port}', protocol: 'serial' },
    description: 'The serial link of the cable',
    variables: {
      port: {
        default: '/dev/ttyACM0',
        description: 'The port as the operating system of the host names it',
        examples: ['/dev/ttyACM0', 'COM3'],
      },
    },
  },
};

/** Events and frames of both links, from the device's side. Written by `npm run generate`. */
export function asyncApi(topics: readonly Topic[]): AsyncApi {
  const schemas = new Components();
  const { event, events, webSocket, serial } = frames(topics);
  const eventMessages = [...events].map(([topic, schema]): Message => {
    const example: Json = { type: 'event', topic, ts: NOW, payload: payloads[topic] ?? null };
    return { name: idOf(schema), schema, examples: [example], isEvent: true };
  });
  const messagesOf = (list: readonly TSchema[]): Message[] =>
    list.flatMap((schema) => (schema === event ? eventMessages : [frameMessage(schema)]));
  const links = [
    {
      ...{ name: 'events', title: 'WebSocket', address: '/events', description: WEBSOCKET },
      ...{ servers: ['network', 'https'], bindings: { ws: { method: 'GET' } } },
      ...{ received: messagesOf(webSocket.client), sent: messagesOf(webSocket.server) },
    },
    {
      ...{ name: 'serial', title: 'Serial link', address: null, description: SERIAL },
      ...{ servers: ['serial'], bindings: undefined },
      ...{ received: messagesOf(serial.host), sent: messagesOf(serial.device) },
    },
  ];
  const all = new Map(links.flatMap(({ received, sent }) => [...received, ...sent]).map((m) => [m.name, m]));
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Vitrine events and frames',
      version: projectVersion(),
      description: ABOUT_FRAMES,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
      tags: [{ name: 'display appliance' }],
    },
    defaultContentType: 'application/json',
    servers: SERVERS,
    channels: Object.fromEntries(
      links.map(({ name, title, address, description, servers, bindings, received, sent }) => [
        name,
        {
          ...{ address, title, description },
          servers: servers.map((server) => ref(`servers/${server}`)),
          messages: Object.fromEntries(
            [...received, ...sent].map((message) => [
              message.name,
              ref(`components/messages/${message.name}`),
            ]),
          ),
          ...(bindings ? { bindings } : {}),
        },
      ]),
    ),
    operations: Object.fromEntries(
      links.flatMap(({ name, title, received, sent }) => operationsOf(name, title, received, sent)),
    ),
    components: {
      messages: Object.fromEntries(
        [...all].map(([name, message]) => [name, messageObject(message, schemas)]),
      ),
      // Last, when every reference has been seen.
      schemas: schemas.schemas,
    },
  };
}

function ref(path: string): JsonObject {
  return { $ref: `#/${path}` };
}

/** @throws Error for a schema without a name */
function idOf(schema: TSchema): string {
  const { $id: id }: { $id?: unknown } = schema;
  if (typeof id !== 'string') throw new Error('a frame has no name');
  return id;
}

function frameMessage(schema: TSchema): Message {
  const id = idOf(schema);
  return { name: id.replace(/Frame$/, ''), schema, examples: [...(frameExamples[id] ?? [])], isEvent: false };
}

function messageObject({ name, schema, examples }: Message, schemas: Components): JsonObject {
  const { description = name }: { description?: unknown } = schema;
  return {
    name,
    summary: String(description),
    payload: schemas.ref(schema),
    ...(CORRELATED.includes(name) ? { correlationId: { location: '$message.payload#/id' } } : {}),
    examples: examples.map((payload) => ({ payload })),
  };
}

/** What the device receives on a link, each with its reply, and what it sends by itself. */
function operationsOf(
  channel: string,
  title: string,
  received: readonly Message[],
  sent: readonly Message[],
): [string, JsonObject][] {
  const messages = (names: readonly string[]): Json =>
    names.map((name) => ref(`channels/${channel}/messages/${name}`));
  const common = { channel: ref(`channels/${channel}`) };
  const receive = received.map(({ name }): [string, JsonObject] => [
    `${channel}Receive${name}`,
    {
      ...{ action: 'receive', ...common, title: `${title}: ${name}`, messages: messages([name]) },
      reply: { ...common, messages: messages(REPLIES[name] ?? []) },
    },
  ]);
  const replies = received.flatMap(({ name }) => REPLIES[name] ?? []);
  const unasked = sent.filter(
    ({ name, isEvent }) => !isEvent && (name === 'Hello' || !replies.includes(name)),
  );
  const send = (name: string, of: readonly Message[]): [string, JsonObject] => [
    `${channel}Send${name}`,
    {
      ...{ action: 'send', ...common, title: `${title}: ${name}` },
      messages: messages(of.map((message) => message.name)),
    },
  ];
  return [
    ...receive,
    send(
      'Events',
      sent.filter(({ isEvent }) => isEvent),
    ),
    ...unasked.map((message) => send(message.name, [message])),
  ];
}
