import { type Route, serve } from '../../contract/endpoint.ts';
import { checkBundle, deleteBundle, getContent, uploadBundle } from './schema.ts';
import type { ContentStore } from './store.ts';

export function contentRoutes(store: ContentStore): Route[] {
  return [
    serve(getContent, () => store.list()),
    serve(uploadBundle, ({ params, upload, uploadBytes }) => store.put(params.name, upload, uploadBytes)),
    serve(checkBundle, ({ params }) => store.check(params.name)),
    serve(deleteBundle, ({ params }) => store.remove(params.name).then(() => undefined)),
  ];
}
