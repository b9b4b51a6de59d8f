import type { Endpoint } from '../contract/endpoint.ts';
import type { Topic } from '../contract/topics.ts';
import * as audio from './audio/schema.ts';
import * as bluetooth from './bluetooth/schema.ts';
import * as branding from './branding/schema.ts';
import * as certificates from './certificates/schema.ts';
import * as config from './config/schema.ts';
import * as content from './content/schema.ts';
import * as device from './device/schema.ts';
import * as display from './display/schema.ts';
import * as document from './document/schema.ts';
import * as input from './input/schema.ts';
import * as network from './network/schema.ts';
import * as nfc from './nfc/schema.ts';
import * as operations from './operations/schema.ts';
import * as page from './page/schema.ts';
import * as update from './update/schema.ts';
import * as wifi from './wifi/schema.ts';

// The whole contract. Every endpoint and topic that one of these files exports is in it, so none can be forgotten.
const modules: object[] = [
  device,
  network,
  display,
  page,
  content,
  config,
  branding,
  certificates,
  audio,
  update,
  operations,
  input,
  nfc,
  wifi,
  bluetooth,
  document,
];

const exported = modules.flatMap((module): [string, unknown][] => Object.entries(module));

/** Every endpoint by its operation id: the name under which its schema file exports it. */
export const endpointsById: ReadonlyMap<string, Endpoint> = byName(isEndpoint);
export const endpoints: readonly Endpoint[] = [...endpointsById.values()];
/** Every topic with the schema of its payload. */
export const topics: readonly Topic[] = [...byName(isTopic).values()];

/** @throws Error when two resources export the same name */
function byName<T>(is: (value: unknown) => value is T): Map<string, T> {
  const found = new Map<string, T>();
  for (const [name, value] of exported) {
    if (!is(value)) continue;
    if (found.has(name)) throw new Error(`two resources export ${name}`);
    found.set(name, value);
  }
  return found;
}

function has<K extends string>(value: unknown, ...keys: K[]): value is Record<K, unknown> {
  return typeof value === 'object' && value !== null && keys.every((key) => Object.hasOwn(value, key));
}

function isEndpoint(value: unknown): value is Endpoint {
  return has(value, 'method', 'path', 'status', 'errors');
}

function isTopic(value: unknown): value is Topic {
  return has(value, 'name', 'payload', 'summary');
}
