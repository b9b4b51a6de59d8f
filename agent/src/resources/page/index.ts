import { display } from '../display/index.ts';
import { defineResource } from '../resource.ts';
import { type Route, serve } from '../route.ts';
import { PageChannel } from './channel.ts';
import type { PageBrowser, PageResource } from './ports.ts';
import * as contract from './schema.ts';

/** Where pages of other origins than a bundle's load the client from. */
export const CLIENT_URI = 'vitrine://client/display-client.js';
/** In `agent/`. */
export const CLIENT_FILE = 'page/display-client.js';

export interface PagePorts {
  browser: PageBrowser;
  /** Resources that pages can load under `vitrine:`, by URI without its query. */
  pageResources: Map<string, () => PageResource>;
}

export const page = defineResource({
  async create({ asset, bus, use }, { browser, pageResources }: PagePorts) {
    const { display: screen } = await use(display);
    const channel = new PageChannel(bus, browser, () => screen.isTargetThere);
    screen.onChange(() => channel.targetChanged());
    const client = { contentType: 'text/javascript', version: CLIENT_FILE, read: () => asset(CLIENT_FILE) };
    pageResources.set(CLIENT_URI, () => client);
    return { service: channel, routes: pageRoutes(channel), stop: () => channel.stop() };
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
