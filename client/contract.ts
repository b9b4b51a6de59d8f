/** The types of the API, derived from the agent's declarations: a new endpoint or topic needs no line here. */
import type { Static, TSchema } from 'typebox';
import type { BinaryAnswer, BinaryBody, Endpoint, Method } from '../agent/src/contract/endpoint.ts';
import type { CommonCode, ErrorDefinition } from '../agent/src/contract/errors.ts';
import type { EventFrame, Topic } from '../agent/src/contract/topics.ts';
import type { declarations } from '../agent/src/resources/contract.ts';

type ValuesOf<C> = C extends unknown ? C[keyof C] : never;
type Exported = ValuesOf<(typeof declarations)[number]>;
type Declared = Extract<Exported, Endpoint>;

/** Every error code of this version; later ones may have more. */
export type ErrorCode = CommonCode | Extract<Exported, ErrorDefinition>['code'];

/** Payloads by topic. */
export type Payloads = { [T in Extract<Exported, Topic> as T['name']]: Static<T['payload']> };
export type TopicName = keyof Payloads;
/** An event of a topic; of several topics, one of them, whose payload `topic` tells. */
export type EventOf<N extends TopicName> = { [T in N]: EventFrame<T, Payloads[T]> }[N];

/** Paths of the endpoints with a method, `/content/{name}` for example. */
export type PathOf<M extends Method> = Extract<Declared, { method: M }>['path'];
/** Paths that answer with bytes. */
export type DownloadPath = Extract<Declared, { method: 'GET'; download: BinaryAnswer }>['path'];
/** Paths that take bytes. */
export type UploadPath = Extract<Declared, { method: 'PUT'; upload: BinaryBody }>['path'];
type At<M extends Method, P extends string> = Extract<Declared, { method: M; path: P }>;

/** The body of a successful answer; undefined for none. */
export type ResponseOf<M extends Method, P extends string> =
  At<M, P> extends { response: infer S extends TSchema } ? Static<S> : undefined;

/** The fields of `O` that are not undefined; those of which nothing is required are optional. */
type Given<O> = {
  [K in keyof O as O[K] extends undefined ? never : object extends O[K] ? never : K]: O[K];
} & {
  [K in keyof O as O[K] extends undefined ? never : object extends O[K] ? K : never]?: O[K];
};
type PartOf<E, K extends 'params' | 'query' | 'body'> = E extends { [name in K]: infer S extends TSchema }
  ? Static<S>
  : undefined;

/** What a call to an endpoint takes: values of its path, its query and its JSON body. */
export type ArgumentsOf<M extends Method, P extends string> = Given<{
  params: PartOf<At<M, P>, 'params'>;
  query: PartOf<At<M, P>, 'query'>;
  json: PartOf<At<M, P>, 'body'>;
}>;
