import type { Static } from 'typebox';
import * as Type from 'typebox';
import { endpoint } from '../../contract/endpoint.ts';
import { Nothing, Nullable, Timestamp } from '../../contract/shared.ts';
import { topic } from '../../contract/topics.ts';
import { UPDATE_TYPES } from '../../contract/upload-types.ts';
import { bundleInvalid } from '../content/schema.ts';
import { Operation, UploadQuery } from '../operations/schema.ts';
import { FleetStatus } from './fleet/schema.ts';

const SlotName = Type.Enum(['a', 'b']);
const Slot = Type.Object(
  { version: Nullable(Type.String()), state: Type.Enum(['good', 'bad', 'unknown']) },
  {
    $id: 'Slot',
    description:
      '`bad`: does not start, or holds an incomplete update. `unknown`: being written, installed and not started yet, or ' +
      'running and not confirmed yet. `version` is null for a slot that holds no complete system',
  },
);

/** Why a slot that an update tried was given up. */
const Reason = Type.Object({
  code: Type.Enum(['kernel_panic', 'watchdog', 'boot_failed', 'unhealthy', 'not_started'], {
    description:
      '`boot_failed`: the slot has used up its three attempts. `unhealthy`: not confirmed within five minutes; the ' +
      'message says what was waited for. `not_started`: the power failed before the slot was activated. The board ' +
      'determines which reasons it can tell',
  }),
  message: Type.String({ description: 'An English sentence' }),
});
export type Reason = Static<typeof Reason>;

/** How the last `apply` ended. */
export const UpdateResult = Type.Object(
  {
    version: Nullable(Type.String()),
    slot: SlotName,
    outcome: Type.Enum(['success', 'rolled_back', 'failed'], {
      description: '`failed`: the slot was not activated, and the update is still pending',
    }),
    reason: Nullable(Reason),
    ts: Timestamp,
    reference: Nullable(Type.String({ description: "The fleet server's action; null without one" })),
  },
  { $id: 'UpdateResult' },
);
export type UpdateResult = Static<typeof UpdateResult>;

/** The two boot slots. */
export const UpdateStatus = Type.Object(
  {
    active_slot: SlotName,
    slots: Type.Object({ a: Slot, b: Slot }),
    pending: Nullable(Type.String({ description: 'Version that `apply` reboots into' })),
    last_result: Nullable(UpdateResult),
    hawkbit: FleetStatus,
  },
  { $id: 'UpdateStatus' },
);
export type UpdateStatus = Static<typeof UpdateStatus>;

export const updateChanged = topic(
  'update_changed',
  UpdateStatus,
  'An installation, `apply` or the confirmation of a boot has changed the slots',
  { isState: true },
);

const tag = 'Update';

export const getUpdate = endpoint({
  method: 'GET',
  path: '/update',
  tag,
  summary: 'Slots, versions and what is installed but not active',
  description:
    '`pending` is the version that `apply` would reboot into, or null. `last_result` says how the last `apply` ended, with ' +
    'the reason after a rollback, which is also in the log and, until another update is installed, in `problems` of ' +
    'health. On a system without slots, the slot of `GET /device` is `good` and the other one `unknown`; uploads and `apply` are 503 `unavailable`.',
  status: 200,
  response: UpdateStatus,
  errors: ['unavailable'],
});

export const uploadUpdate = endpoint({
  method: 'PUT',
  path: '/update/bundle',
  tag,
  summary: 'Install a signed update into the inactive slot',
  description:
    'Answers when the bundle has arrived; the operation begins with the first byte. Space is reserved first (507). What ' +
    'cannot be a bundle is refused from its first bytes on (400 `bundle_invalid`). Then signature and checksum of the ' +
    'whole payload are verified, and only then is the inactive slot written; the file is removed afterwards. The running ' +
    'slot and what boots next stay as they were.\n\n' +
    'The operation fails with `bundle_invalid` for the signature, another board, an older version or damage (the message ' +
    'says which, with the words of RAUC in brackets), `insufficient_storage`, `unavailable` if it was interrupted or the ' +
    'medium fails, or `internal`. An agent or updater that restarts, and a power cut, continue it under the same id or ' +
    'end it `failed`.\n\n' +
    '409 `conflict` while another bundle is received or installed, and from `apply` until the new slot was confirmed. ' +
    'While a slot is being written, reboot, shutdown, factory reset and `apply` are 409.',
  query: UploadQuery,
  upload: { contentTypes: UPDATE_TYPES, description: 'The signed update bundle' },
  status: 202,
  response: Operation,
  errors: [bundleInvalid, 'conflict', 'insufficient_storage', 'unavailable'],
});

export const applyUpdate = endpoint({
  method: 'POST',
  path: '/update/apply',
  tag,
  summary: 'Reboot into the updated slot',
  description:
    'The response is sent first. Only this starts an installed update, never an ordinary reboot. 409 `conflict` if nothing ' +
    'is installed; a second call before the reboot asks for it again. A slot that is not confirmed within five minutes ' +
    'is given up: the device returns to the other one by itself and reports why in `last_result`. `problems` of health ' +
    'says so if the device has not rebooted after five minutes.',
  status: 202,
  response: Nothing,
  errors: ['conflict', 'unavailable'],
});
