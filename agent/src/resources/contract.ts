/**
 * The contract: what the resources declare together, in the order of the API's description. It needs nothing of Node, so
 * that clients can import it. A new resource gets its lines here and in all.ts.
 */
import { type Endpoint, isEndpoint } from '../contract/endpoint.ts';
import { commonErrors, type ErrorDefinition } from '../contract/errors.ts';
import type { Topic } from '../contract/topics.ts';
import { audioConfig } from './audio/config.ts';
import * as audio from './audio/schema.ts';
import { bluetoothConfig } from './bluetooth/config.ts';
import * as bluetooth from './bluetooth/schema.ts';
import * as branding from './branding/schema.ts';
import * as certificates from './certificates/schema.ts';
import { configContract } from './config/schema.ts';
import * as content from './content/schema.ts';
import { deviceConfig } from './device/config.ts';
import * as device from './device/schema.ts';
import * as diagnostics from './diagnostics/schema.ts';
import { browserConfig, displayConfig, proxyConfig } from './display/config.ts';
import * as display from './display/schema.ts';
import * as document from './document/schema.ts';
import { inputConfig } from './input/config.ts';
import * as input from './input/schema.ts';
import * as network from './network/schema.ts';
import { nfcConfig } from './nfc/config.ts';
import * as nfc from './nfc/schema.ts';
import * as operations from './operations/schema.ts';
import * as page from './page/schema.ts';
import { peripheralsConfig } from './peripherals/config.ts';
import * as peripherals from './peripherals/schema.ts';
import { uiConfig } from './ui/config.ts';
import { updateConfig } from './update/config.ts';
import * as update from './update/schema.ts';
import { wifiConfig } from './wifi/config.ts';
import * as wifi from './wifi/schema.ts';

/** The groups of the configuration, in its order. */
export const configuration = configContract([
  deviceConfig,
  displayConfig,
  browserConfig,
  proxyConfig,
  audioConfig,
  updateConfig,
  inputConfig,
  nfcConfig,
  wifiConfig,
  bluetoothConfig,
  peripheralsConfig,
  uiConfig,
]);

/** What the schema files export. */
export const declarations = [
  device,
  diagnostics,
  network,
  display,
  page,
  content,
  branding,
  certificates,
  audio,
  update,
  operations,
  input,
  nfc,
  wifi,
  bluetooth,
  peripherals,
  document,
  configuration,
] as const;
const exported = declarations.flatMap((each): [string, unknown][] => Object.entries(each));

/** Every endpoint by its operation id: the name under which its schema file exports it. */
export const endpointsById: ReadonlyMap<string, Endpoint> = operationsOf(exported);
export const endpoints: readonly Endpoint[] = [...endpointsById.values()];
/** Every topic with the schema of its payload. */
export const topics: readonly Topic[] = exported.map(([, value]) => value).filter(isTopic);
/** Every error code. */
export const errors: readonly ErrorDefinition[] = [
  ...commonErrors,
  ...exported.map(([, value]) => value).filter(isError),
];

/** @throws Error when two resources export the same name */
function operationsOf(named: readonly [string, unknown][]): Map<string, Endpoint> {
  const found = new Map<string, Endpoint>();
  for (const [name, value] of named) {
    if (!isEndpoint(value)) continue;
    if (found.has(name)) throw new Error(`two resources export ${name}`);
    found.set(name, value);
  }
  return found;
}

function has<K extends string>(value: unknown, ...keys: K[]): value is Record<K, unknown> {
  return typeof value === 'object' && value !== null && keys.every((key) => Object.hasOwn(value, key));
}

function isTopic(value: unknown): value is Topic {
  return has(value, 'name', 'payload', 'summary');
}

function isError(value: unknown): value is ErrorDefinition {
  return has(value, 'code', 'status', 'message');
}
