import type { Static, TSchema } from 'typebox';

/** Every topic that a client may subscribe to (interface: Events). */
export const TOPICS = [
  'display_state',
  'page_message',
  'page_channel',
  'operation',
  'health',
  'input_raw',
  'log',
  'splash_changed',
  'config_changed',
  'network_changed',
  'nfc_tag',
  'nfc_tag_removed',
  'nfc_reader_connected',
  'nfc_reader_disconnected',
  'wifi_changed',
  'bluetooth_changed',
  'update_changed',
] as const;

export type TopicName = (typeof TOPICS)[number];

/** A topic with the schema of its payload, declared by the resource that emits it. */
export interface Topic<S extends TSchema = TSchema, N extends TopicName = TopicName> {
  name: N;
  payload: S;
  summary: string;
}

export function topic<S extends TSchema, N extends TopicName>(
  name: N,
  payload: S,
  summary: string,
): Topic<S, N> {
  return { name, payload, summary };
}

export type Payload<T extends Topic> = Static<T['payload']>;

/** An event as both the WebSocket and serial send it (interface: Events). */
export interface EventFrame<N extends TopicName = TopicName, P = unknown> {
  type: 'event';
  topic: N;
  ts: string;
  payload: P;
}
