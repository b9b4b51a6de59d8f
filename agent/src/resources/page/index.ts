import { defineResource } from '../resource.ts';
import { type Route, serve } from '../route.ts';
import { PageChannel } from './channel.ts';
import type { PageAsset, PageAssetServer, PageBrowser, PageConsoleSource } from './ports.ts';
import * as contract from './schema.ts';

/** Where pages of other origins than a bundle's load the client from. */
export const CLIENT_URI = 'vitrine://client/display-client.js';
/** In `agent/`. */
export const CLIENT_FILE = 'page/display-client.js';

export interface PageService {
  channel: PageChannel;
  /** Lets pages load an asset. @param uri `vitrine:` URI without a query @param asset is asked at each load */
  serve(uri: string, asset: () => PageAsset): void;
}

export const page = defineResource({
  create({ asset, bus }, { browser }: { browser: PageBrowser & PageAssetServer & PageConsoleSource }) {
    const channel = new PageChannel(bus, browser);
    bus.provideState(contract.pageChannel, () => ({ open: channel.isOpen }));
    const assets = new Map<string, () => PageAsset>();
    browser.serveAssets((uri) => assets.get(uri.split('?', 1)[0] ?? '')?.());
    const client = { contentType: 'text/javascript', version: CLIENT_FILE, read: () => asset(CLIENT_FILE) };
    assets.set(CLIENT_URI, () => client);
    const service: PageService = { channel, serve: (uri, find) => void assets.set(uri, find) };
    const stopConsole = bus.produceOnDemand(contract.pageConsole, () =>
      browser.followConsole((message) => bus.emit(contract.pageConsole, message)),
    );
    const stop = () => {
      stopConsole();
      channel.stop();
    };
    return { service, routes: pageRoutes(channel), stop };
  },
});

export function pageRoutes(channel: PageChannel): Route[] {
  const status = () => ({ open: channel.isOpen });
  return [
    serve(contract.getPageStatus, status),
    serve(contract.sendPageMessage, async ({ body }) => {
      await channel.send(body);
      return status();
    }),
  ];
}
