import type { Json } from '../json.ts';

/** An example of one operation. Tests check each part against the operation's own schema. */
export interface OperationExample {
  /** Values of the parameters in the path, by name. */
  path?: Readonly<Record<string, string>>;
  /** The JSON body of the request. */
  request?: Json;
  /** The JSON body of a successful answer. */
  response?: Json;
}

/** By operation id. */
export type OperationExamples = Readonly<Record<string, OperationExample>>;

/** When everything in the examples happens. */
export const NOW = '2026-11-27T10:00:00.000Z';
