import { join } from 'node:path';
import { type Route, serve } from '../../contract/endpoint.ts';
import { operations } from '../operations/index.ts';
import { defineResource } from '../resource.ts';
import * as contract from './schema.ts';
import { BundleOrigin, type BundleOriginOptions } from './serving/bundle-origin.ts';
import { ContentStore } from './store.ts';

export interface ContentService {
  store: ContentStore;
  /** Where the displayed bundle is served. */
  origin: BundleOrigin;
  /** Says which bundle is on the screen, if one is; asked whenever it matters. */
  setDisplayed(active: () => string | undefined): void;
}

export const content = defineResource({
  contract,
  async create({ board, log, disk, use }, { createServer }: Pick<BundleOriginOptions, 'createServer'>) {
    let active: () => string | undefined = () => undefined;
    const store = await ContentStore.open({
      folder: join(board.dataFolder, 'content'),
      operations: await use(operations),
      isActive: (bundle) => active() === bundle,
      closeRemoved: () => origin.closeUnused(),
      log,
      disk,
    });
    const origin = new BundleOrigin({
      createServer,
      port: board.contentPort,
      active: () => active(),
      locate: (bundle) => store.locate(bundle),
      log,
    });
    store.onReplaced(() => void origin.closeUnused());
    const service: ContentService = {
      store,
      origin,
      setDisplayed: (displayed) => {
        active = displayed;
      },
    };
    return {
      service,
      routes: contentRoutes(store),
      problems: () => store.problems(),
      start: () => origin.start(),
      // Archives whose description was lost are read as a whole, which takes long.
      ready: () => void store.start(),
      stop: async () => {
        await origin.stop();
        await store.close();
      },
    };
  },
});

export function contentRoutes(store: ContentStore): Route[] {
  const { getContent, uploadBundle, checkBundle, deleteBundle } = contract;
  return [
    serve(getContent, () => store.list()),
    serve(uploadBundle, ({ params, upload, uploadBytes }) => store.put(params.name, upload, uploadBytes)),
    serve(checkBundle, ({ params }) => store.check(params.name)),
    serve(deleteBundle, ({ params }) => store.remove(params.name)),
  ];
}
