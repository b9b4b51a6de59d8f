import type { Static } from 'typebox';
import * as Type from 'typebox';
import { endpoint } from '../../contract/endpoint.ts';
import { defineError } from '../../contract/errors.ts';
import { ErrorEnvelopeSchema, matching, Nullable } from '../../contract/shared.ts';
import { topic } from '../../contract/topics.ts';

export const operationNotFound = defineError(
  'operation_not_found',
  404,
  'There is no such operation, or it has expired.',
);

/** A long-running task. */
export const Operation = Type.Object(
  {
    operation_id: Type.String(),
    kind: Type.Enum(['content_upload', 'update_install']),
    state: Type.Enum(['running', 'done', 'failed']),
    name: Nullable(Type.String({ description: 'Of the content bundle; null for an update' })),
    progress: Type.Number({ minimum: 0, maximum: 1 }),
    bytes_done: Type.Integer({ minimum: 0, description: 'Of the body, as far as it has arrived' }),
    bytes_total: Nullable(
      Type.Integer({ minimum: 0, description: 'Length of the body; null while it is unknown' }),
    ),
    error: Type.Optional(ErrorEnvelopeSchema),
  },
  { $id: 'Operation' },
);
export type Operation = Static<typeof Operation>;

/** Query of an upload: the client chooses the id, so it can follow the operation before the answer. */
export const UploadQuery = Type.Object(
  {
    operation_id: Type.Optional(
      Type.String({
        ...matching(
          '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$',
          'must be a UUID in lower case, such as crypto.randomUUID() gives',
        ),
        description:
          'A new UUID in lower case, the id of the operation; without it the device makes one. 409 `conflict` for the id of a known operation',
      }),
    ),
  },
  { additionalProperties: false },
);

export const operationChanged = topic(
  'operation',
  Operation,
  'Progress and every state transition of an upload or install',
);

export const getOperation = endpoint({
  method: 'GET',
  path: '/operations/{id}',
  tag: 'Operations',
  summary: 'State of a long-running task',
  description:
    'The state of an upload or an install. Ended operations are kept for a while, the last 64 of them; then the answer is 404 `operation_not_found`.',
  params: Type.Object({ id: Type.String({ minLength: 1 }) }),
  status: 200,
  response: Operation,
  errors: [operationNotFound],
});
