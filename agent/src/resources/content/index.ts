import { join } from 'node:path';
import { operations } from '../operations/index.ts';
import { CLIENT_FILE } from '../page/index.ts';
import { defineResource } from '../resource.ts';
import { type Route, serve } from '../route.ts';
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
  async create(
    { asset, board, log, disk, use },
    { createServer }: Pick<BundleOriginOptions, 'createServer'>,
  ) {
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
      client: () => asset(CLIENT_FILE),
      log,
    });
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
      problems: () => store.checks.problems(),
      start: () => origin.start(),
      stop: async () => {
        await origin.stop();
        await store.close();
      },
    };
  },
});

export function contentRoutes(store: ContentStore): Route[] {
  return [
    serve(contract.getContent, () => store.list()),
    serve(contract.uploadBundle, ({ params, query, upload, uploadBytes }) =>
      store.put(params.name, upload, uploadBytes, query.operation_id),
    ),
    serve(contract.checkBundle, ({ params }) => store.checks.check(params.name)),
    serve(contract.deleteBundle, ({ params }) => store.remove(params.name).then(() => undefined)),
  ];
}
