import { type Static, Type } from 'typebox';
import { endpoint } from '../../contract/endpoint.ts';
import { Nothing, Nullable, Timestamp } from '../../contract/shared.ts';
import { topic } from '../../contract/topics.ts';
import { UPDATE_TYPES } from '../../contract/upload-types.ts';
import { Operation, UploadQuery } from '../operations/schema.ts';
import { FleetStatus } from './fleet/schema.ts';

const SlotName = Type.Enum(['a', 'b']);
const Slot = Type.Object(
  { version: Nullable(Type.String()), state: Type.Enum(['good', 'bad', 'unknown']) },
  { $id: 'Slot', description: '`version` is null for a slot that holds no complete system' },
);

/** Why a slot that an update tried was given up. */
const Reason = Type.Object({
  code: Type.Enum(['kernel_panic', 'watchdog', 'boot_failed', 'unhealthy', 'not_started']),
  message: Type.String({ description: 'An English sentence' }),
});
export type Reason = Static<typeof Reason>;

/** How the last `apply` ended. */
export const UpdateResult = Type.Object(
  {
    version: Nullable(Type.String()),
    slot: SlotName,
    outcome: Type.Enum(['success', 'rolled_back', 'failed']),
    reason: Nullable(Reason),
    ts: Timestamp,
    reference: Nullable(Type.String({ description: "The fleet server's action; null without one" })),
  },
  { $id: 'UpdateResult' },
);
export type UpdateResult = Static<typeof UpdateResult>;

/** The two boot slots (interface: Update status). */
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
);

const tag = 'Update';

export const getUpdate = endpoint({
  method: 'GET',
  path: '/update',
  tag,
  summary: 'Slots, versions and what is installed but not active',
  description:
    '`pending` is the version that `apply` would reboot into, or null. `last_result` says how the last `apply` ended: with the reason after a rollback. On a system without slots, the slot of `GET /device` is `good` and the other one `unknown`.',
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
    'Answered when the bundle has arrived. The operation then verifies and installs it; it ends `failed` with `bundle_invalid` when the signature, the board or the version does not fit. The active slot is never touched, and nothing changes at the next boot before `apply`.',
  query: UploadQuery,
  upload: { contentTypes: UPDATE_TYPES, description: 'The signed update bundle' },
  status: 202,
  response: Operation,
  errors: ['bundle_invalid', 'conflict', 'insufficient_storage', 'unavailable'],
});

export const applyUpdate = endpoint({
  method: 'POST',
  path: '/update/apply',
  tag,
  summary: 'Reboot into the updated slot',
  description:
    'Answered first, then done. 409 when nothing is installed. A slot that is not found good in time is given up: the device returns to the other one by itself and reports why in `last_result`.',
  status: 202,
  response: Nothing,
  errors: ['conflict', 'unavailable'],
});
