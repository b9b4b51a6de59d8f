import { type Route, serve } from '../../contract/endpoint.ts';
import { checkContent, deleteContent, getContent, putContent } from './schema.ts';
import type { ContentStore } from './store.ts';

export function contentRoutes(store: ContentStore): Route[] {
  return [
    serve(getContent, () => store.list()),
    serve(putContent, ({ params, upload, uploadBytes }) => store.put(params.name, upload, uploadBytes)),
    serve(checkContent, ({ params }) => store.check(params.name)),
    serve(deleteContent, ({ params }) => store.remove(params.name).then(() => undefined)),
  ];
}
