/** Requests to the unit under test, and the errors that say what is wrong with it. */

import { waitFor } from '../../testing/wait.ts';
import { field } from '../client/events.ts';
import type { SerialClient, SerialResponse } from '../client/ndjson.ts';
import { Problem } from '../lib/problem.ts';

const REQUEST_MS = 30_000;
const OPERATION_MS = 60_000;

/** A check that the unit did not pass. */
export class Defect extends Problem {
  override name = 'Defect';
}

/** A check that this version of the unit cannot do, with the reason. Does not count as a defect. */
export class NotTested extends Error {
  override name = 'NotTested';
}

/** The API of the unit under test. Paths are below `/api/v1`. */
export class Unit {
  readonly #client: SerialClient;

  constructor(client: SerialClient) {
    this.#client = client;
  }

  async request(method: string, path: string, body?: unknown): Promise<SerialResponse> {
    return await this.#client.response(this.#client.send(method, `/api/v1${path}`, body), REQUEST_MS);
  }

  /** The body of a response that must be successful. Throws a {@link Defect} with the device's own message. */
  async ask(method: string, path: string, body?: unknown): Promise<unknown> {
    const response = await this.request(method, path, body);
    if (response.status >= 200 && response.status <= 299) return response.body;
    throw new Defect(`${method} ${path} answers ${describe(response)}`);
  }

  /** Uploads a bundle and waits until it is stored. */
  async putBundle(name: string, archive: Buffer): Promise<void> {
    const accepted = await this.#client.upload('PUT', `/api/v1/content/${name}`, archive);
    if (accepted.status !== 202) throw new Defect(`the upload of ${name} was refused: ${describe(accepted)}`);
    const path = `/operations/${String(field(accepted.body, 'operation_id'))}`;
    const state = await waitFor(
      async () => {
        const operation = await this.ask('GET', path);
        return field(operation, 'state') !== 'running' && operation;
      },
      { timeoutMs: OPERATION_MS, what: `the upload of ${name} to end` },
    );
    if (field(state, 'state') !== 'done') {
      throw new Defect(`the upload of ${name} failed: ${String(field(state, 'error.error.message'))}`);
    }
  }
}

/** Status, code and message of an error response. */
export function describe({ status, body }: SerialResponse): string {
  const [code, message] = [field(body, 'error.code'), field(body, 'error.message')];
  return [status, code, message && `(${String(message)})`].filter(Boolean).join(' ');
}
