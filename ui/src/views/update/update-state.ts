/** The state of updates: the slots, the installation that runs, and whether this device can be updated at all. */
import { type Client, RequestError } from '../../../../client/client.ts';
import type { ResponseOf } from '../../../../client/contract.ts';
import { connection } from '../../app/device-state.ts';
import { Resource } from '../../app/resource.ts';
import { remember, remembered } from '../../app/storage.ts';
import { hasTwoSlots } from './slot-state.ts';

export type Operation = ResponseOf<'GET', '/operations/{id}'>;

/** Under which the id of the last known installation is remembered, so that a page that is opened later finds it. */
const REMEMBERED = 'installation';

export const update = new Resource(connection, {
  load: (client) => client.get('/update'),
  follow: (set) => connection.on('update_changed', set),
});

/** True; reading it fails with `unavailable` where there are no slots to install into. */
export const support = new Resource(connection, { load: requireSlots });

/** The installation that was begun last by anyone, as far as this page has seen it; null for none. */
export const installation = new Resource(connection, {
  load: readInstallation,
  follow: (set) =>
    connection.on('operation', (operation) => {
      if (operation.kind !== 'update_install') return;
      remember(REMEMBERED, operation.operation_id);
      set(operation);
    }),
});

/** The installation of this page, which is read also after its end. */
let own: string | undefined;

/** Makes {@link installation} follow one that this page begins. */
export function followInstallation(id: string): void {
  own = id;
  remember(REMEMBERED, id);
}

/** Whether this page has begun an installation. */
export function isOwn({ operation_id }: Operation): boolean {
  return operation_id === own;
}

/**
 * A system without a second slot, and one whose second slot is being written, have the same state. Only an upload tells
 * which it is: without slots it is 503, before its media type is looked at, and this one is always refused.
 * @throws RequestError `unavailable`
 */
async function requireSlots(client: Client): Promise<true> {
  if (hasTwoSlots(await client.get('/update'))) return true;
  const headers = { 'content-type': 'text/plain' };
  const answer = await client.request('PUT', '/update/bundle', { raw: '', headers });
  if (answer.status === 503) throw new RequestError('PUT', '/update/bundle', answer);
  return true;
}

async function readInstallation(client: Client): Promise<Operation | null> {
  const id = own ?? remembered(REMEMBERED);
  if (id === undefined) return null;
  try {
    const operation = await client.get('/operations/{id}', { params: { id } });
    // How an earlier one ended is told by the slots.
    return operation.state === 'running' || id === own ? operation : null;
  } catch (error) {
    // The device has forgotten it, for example because it was restarted.
    if (error instanceof RequestError && error.status === 404) return null;
    throw error;
  }
}
