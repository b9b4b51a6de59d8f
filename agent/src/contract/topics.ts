import type { Static, TSchema } from 'typebox';

/** Every topic that a client may subscribe to. */
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
export interface Topic<S extends TSchema = TSchema> {
  name: TopicName;
  payload: S;
  summary: string;
}

export function topic<S extends TSchema>(name: TopicName, payload: S, summary: string): Topic<S> {
  return { name, payload, summary };
}

export type Payload<T extends Topic> = Static<T['payload']>;

/** An event as both the WebSocket and serial send it (docs/api.md: Events). */
export interface EventFrame {
  type: 'event';
  topic: TopicName;
  ts: string;
  payload: unknown;
}
