import { Type } from 'typebox';
import { endpoint } from '../../contract/endpoint.ts';
import { Nothing, Nullable } from '../../contract/shared.ts';
import { Operation } from '../operations/schema.ts';

const SlotName = Type.Enum(['a', 'b']);
const Slot = Type.Object(
  { version: Nullable(Type.String()), state: Type.Enum(['good', 'bad', 'unknown']) },
  { $id: 'Slot', description: '`version` is null for a slot that holds nothing yet' },
);

/** The two boot slots (interface: Update status). */
export const UpdateStatus = Type.Object(
  {
    active_slot: SlotName,
    slots: Type.Object({ a: Slot, b: Slot }),
    pending: Nullable(Type.String({ description: 'Version that `apply` reboots into' })),
  },
  { $id: 'UpdateStatus' },
);

const tag = 'Update';

export const getUpdate = endpoint({
  method: 'GET',
  path: '/update',
  tag,
  summary: 'Slots, versions and what is installed but not active',
  description: '`pending` is the version that `apply` would reboot into, or null.',
  status: 200,
  response: UpdateStatus,
  errors: ['unavailable', 'not_implemented'],
});

export const uploadUpdate = endpoint({
  method: 'PUT',
  path: '/update/bundle',
  tag,
  summary: 'Install a signed update into the inactive slot',
  description:
    'The operation ends `failed` with `bundle_invalid` when the signature or the board does not fit. The active slot is never touched.',
  upload: { contentTypes: ['application/octet-stream'], description: 'The signed update bundle' },
  status: 202,
  response: Operation,
  errors: ['bundle_invalid', 'conflict', 'insufficient_storage', 'unavailable', 'not_implemented'],
});

export const applyUpdate = endpoint({
  method: 'POST',
  path: '/update/apply',
  tag,
  summary: 'Reboot into the updated slot',
  description: 'Answered first, then done. 409 when nothing is installed.',
  status: 202,
  response: Nothing,
  errors: ['conflict', 'unavailable', 'not_implemented'],
});
