import { type Static, Type } from 'typebox';
import { endpoint } from '../../contract/endpoint.ts';
import { ErrorEnvelopeSchema } from '../../contract/shared.ts';
import { topic } from '../../contract/topics.ts';

/** A long-running task (interface: Resources, Operation). */
export const Operation = Type.Object(
  {
    operation_id: Type.String(),
    kind: Type.Enum(['content_upload', 'update_install']),
    state: Type.Enum(['running', 'done', 'failed']),
    progress: Type.Number({ minimum: 0, maximum: 1 }),
    error: Type.Optional(ErrorEnvelopeSchema),
  },
  { $id: 'Operation' },
);
export type Operation = Static<typeof Operation>;

export const operationChanged = topic(
  'operation',
  Operation,
  'Every state transition of an upload or install',
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
  errors: ['operation_not_found'],
});
