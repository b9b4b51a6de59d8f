import { BlockList, isIPv4 } from 'node:net';
import { hostname, networkInterfaces, totalmem } from 'node:os';
import { CABLE_NETWORKS, ownNames, SHARED_ADDRESS } from '../../base/cable.ts';
import { ApiError } from '../../contract/errors.ts';
import { bindGroup, type ConfigBinding } from '../config/group.ts';
import type { ConfigReader } from '../config/store.ts';
import { browserConfig, displayConfig, INSPECTOR_PORT, proxyConfig } from './config.ts';
import type { Display } from './display.ts';
import type { BrowserSettings } from './ports.ts';
import { MAX_SCREEN_ID, screenNotFound } from './schema.ts';

/** Share of the board's memory that one web process may use when nothing is configured. */
const DEFAULT_MEMORY_SHARE = 0.5;
/** An empty page takes about 290 MiB with rendering in software. */
const MIN_MEMORY_MB = 384;

/**
 * The settings of the browser.
 * @param hasFirewall without one, the inspector would be open to everybody
 */
export function browserSettings(config: ConfigReader, hasFirewall: boolean): BrowserSettings {
  const { user_agent, ignore_tls_errors, memory_limit_mb, remote_debugging, ...rest } =
    config.get(browserConfig);
  const { languages, permissions, text_selection, zoom, pointer } = rest;
  const { mode, http, https, no_proxy, pac_url } = config.get(proxyConfig);
  // A proxy must not lead pages back to this device.
  const names = ownNames(hostname(), true).flatMap((name) => [name, `${name}.local`]);
  const exceptions = [...names, ...CABLE_NETWORKS, ...no_proxy];
  const share = Math.floor((totalmem() / 2 ** 20) * DEFAULT_MEMORY_SHARE);
  const limit = memory_limit_mb ?? Math.max(share, MIN_MEMORY_MB);
  const proxies = {
    none: null,
    manual: { http, https, pac: null, exceptions },
    pac: { http: null, https: null, pac: pac_url, exceptions },
  };
  return {
    user_agent,
    languages,
    ignore_tls_errors,
    memory_limit_mb: limit,
    inspector_port: remote_debugging && hasFirewall ? INSPECTOR_PORT : 0,
    proxy: proxies[mode],
    permissions,
    text_selection,
    pointer,
    zoom,
  };
}

const NETWORKS = new BlockList();
for (const [address, prefix] of CABLE_NETWORKS.map((network) => network.split('/'))) {
  NETWORKS.addSubnet(String(address), Number(prefix));
}

/**
 * Whether a page's address leads to the USB cable; "maybe" for names that are resolved by mDNS, which may lead to any
 * network.
 */
function leadsToCable(url: string): boolean | 'maybe' {
  const host = URL.parse(url)?.hostname ?? '';
  const own = ownNames(hostname(), true).map((name) => `${name}.local`);
  const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  // No setting lets a page reach this device.
  if (own.includes(host) || host === SHARED_ADDRESS || addresses.some(({ address }) => address === host))
    return false;
  if (host.endsWith('.local')) return 'maybe';
  return isIPv4(host) && NETWORKS.check(host);
}

/** What to do if the address of a page that could not be loaded leads to the host at the cable. */
export function hostServicesHint(url: string): string | undefined {
  const leads = leadsToCable(url);
  const rule = 'pages reach it only while browser.allow_host_services is true';
  if (leads === 'maybe') return `if this is the host at the USB cable, ${rule}`;
  return leads ? `this is the USB cable: ${rule}` : undefined;
}

/** How the group `display` takes effect. @param schedule carries out `power_schedule` */
export function bindDisplay(
  config: ConfigReader,
  display: Display,
  schedule: { check(): void },
): ConfigBinding {
  return bindGroup(
    displayConfig,
    () => display.screens.driveNow(),
    { power_schedule: () => schedule.check() },
    {
      changed: () => display.configChanged(),
      check: (patch) => checkScreens(patch, config, display),
      isLive: (path) => {
        const id = /^screens\.(.+)\.rotation$/.exec(path)?.[1];
        return id === undefined || id === display.screens.primary?.id;
      },
    },
  );
}

/** Refuses entries of `display.screens` that are no output of the board. @throws ApiError `screen_not_found` */
async function checkScreens(patch: unknown, config: ConfigReader, display: Display): Promise<void> {
  const { screens: asked }: { screens?: unknown } = Object(patch);
  if (asked === undefined && patch !== null) return;
  // Also when a null resets all of them: which screen is the primary one decides what is live.
  const screens = await display.listScreens();
  const stored = config.get(displayConfig).screens;
  for (const [id, value] of Object.entries(Object(asked))) {
    // Removing what is set for an output that is gone must stay possible.
    if (value === null && Object.hasOwn(stored, id)) continue;
    if (screens.some((screen) => screen.id === id)) continue;
    const name = id.slice(0, MAX_SCREEN_ID).toWellFormed();
    throw new ApiError(screenNotFound, `There is no screen ${name}.`, {
      screen: name,
      screens: screens.map((screen) => screen.id),
    });
  }
}
