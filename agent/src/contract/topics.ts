import type { Static, TSchema } from 'typebox';

/** A topic that clients may subscribe to, declared by the resource that emits it. */
export interface Topic<S extends TSchema = TSchema, N extends string = string> {
  readonly name: N;
  readonly payload: S;
  readonly summary: string;
  /** Whether a slow client may lose events: they are dropped, oldest first, before the client is disconnected. */
  readonly mayBeDropped: boolean;
  /** Whether each event carries the whole state, so that clients may ask for it when they subscribe. */
  readonly isState: boolean;
}

export function topic<S extends TSchema, const N extends string>(
  name: N,
  payload: S,
  summary: string,
  { mayBeDropped = false, isState = false } = {},
): Topic<S, N> {
  return { name, payload, summary, mayBeDropped, isState };
}

export type Payload<T extends Topic> = Static<T['payload']>;

/** An event as both the WebSocket and serial send it. */
export interface EventFrame<N extends string = string, P = unknown> {
  type: 'event';
  topic: N;
  ts: string;
  payload: P;
}
