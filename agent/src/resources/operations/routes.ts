import { type Route, serve } from '../route.ts';
import type { Operations } from './operations.ts';
import { getOperation } from './schema.ts';

export function operationRoutes(operations: Operations): Route[] {
  return [serve(getOperation, ({ params }) => operations.get(params.id))];
}
