/** An upload to the unit under test, and the errors that say what is wrong with a unit. */
import type { Client } from '../../client/client.ts';
import { waitFor } from '../../testing/wait.ts';
import { Problem } from '../lib/problem.ts';

const UPLOAD_MS = 120_000;
const OPERATION_MS = 60_000;

/** A check that the unit did not pass. */
export class Defect extends Problem {
  override name = 'Defect';
}

/** A check that this version of the unit cannot do, with the reason. Does not count as a defect. */
export class NotTested extends Error {
  override name = 'NotTested';
}

/** Uploads a bundle and waits until it is stored. */
export async function putBundle(client: Client, name: string, archive: Buffer): Promise<void> {
  const { operation_id: id } = await client.upload('/content/{name}', archive, {
    params: { name },
    timeoutMs: UPLOAD_MS,
  });
  const { state, error } = await waitFor(
    async () => {
      const operation = await client.get('/operations/{id}', { params: { id } });
      return operation.state !== 'running' && operation;
    },
    { timeoutMs: OPERATION_MS, what: `the upload of ${name} to end` },
  );
  if (state !== 'done') throw new Defect(`the upload of ${name} failed: ${error?.error.message}`);
}
