import { isIP } from 'node:net';
import type { Issue } from '../../contract/validate.ts';
import { accessPointChannels, COUNTRIES } from './countries.ts';
import type { Config } from './schema.ts';

/** What the rules need to know of the board. */
export interface BoardLimits {
  /** Whether a radio can carry a 5 GHz access point. */
  dualBandRadio: boolean;
}

/** A rule that spans fields, or that a pattern cannot say, and is broken. */
export interface BrokenRule extends Issue {
  /** JSON pointer of the field to put back to its default when a stored document breaks the rule. */
  reset: string;
}

const SSID_BYTES = 32;
const HOST_NAME = /^[0-9a-z](?:[0-9a-z-]{0,61}[0-9a-z])?(?:\.[0-9a-z](?:[0-9a-z-]{0,61}[0-9a-z])?)*$/i;

/** All rules over the whole configuration that do not hold (interface: Configuration; docs/contract.md). */
export function brokenRules(config: Config, board: BoardLimits): BrokenRule[] {
  return [...timeRules(config), ...urlRules(config), ...proxyRules(config), ...wifiRules(config, board)];
}

function broken(path: string, message: string, reset = path): BrokenRule {
  return { path, message, reset };
}

function timeRules({ device }: Config): BrokenRule[] {
  return [...zoneRules(device.timezone), ...timeServerRules(device.ntp_servers)];
}

function zoneRules(zone: string): BrokenRule[] {
  // The default: the first use of Intl takes 0.4 s of the start in QEMU.
  if (zone === 'UTC') return [];
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions();
    // The database is files with case; Intl is not that strict.
    if (timeZone === zone || timeZone.toLowerCase() !== zone.toLowerCase()) return [];
    return [broken('/device/timezone', `must be spelt ${timeZone}`)];
  } catch {
    return [broken('/device/timezone', 'must be a name of the time zone database')];
  }
}

/** What the pattern lets through and systemd-timesyncd refuses, all of the list with it. */
function timeServerRules(servers: string[]): BrokenRule[] {
  return servers.flatMap((host, index) =>
    isIP(host) !== 0 || HOST_NAME.test(host)
      ? []
      : [
          broken(
            `/device/ntp_servers/${index}`,
            'must be a host name or an IP address',
            '/device/ntp_servers',
          ),
        ],
  );
}

function urlRules({ display, devices, nfc }: Config): BrokenRule[] {
  const found: BrokenRule[] = [];
  for (const [id, { url }] of Object.entries(display.screens)) {
    if (url !== null && !URL.canParse(url)) {
      found.push(broken(`/display/screens/${pointerKey(id)}/url`, 'must be a URL'));
    }
  }
  const origins: [string, string[]][] = [
    ['/devices/origins', devices.origins],
    ['/nfc/origins', nfc.origins],
  ];
  for (const [path, list] of origins) {
    list.forEach((origin, index) => {
      const real = URL.canParse(origin) ? new URL(origin).origin : undefined;
      if (real === undefined) found.push(broken(`${path}/${index}`, 'must be an origin', path));
      else if (real !== origin) found.push(broken(`${path}/${index}`, `must be spelt ${real}`, path));
    });
  }
  return found;
}

function pointerKey(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

function proxyRules({ proxy }: Config): BrokenRule[] {
  const found: BrokenRule[] = [];
  for (const key of ['http', 'https', 'pac_url'] as const) {
    const url = proxy[key];
    if (url !== null && !URL.canParse(url)) found.push(broken(`/proxy/${key}`, 'must be a URL'));
  }
  if (proxy.mode === 'manual' && proxy.http === null && proxy.https === null) {
    found.push(broken('/proxy/http', 'or /proxy/https is required in mode manual', '/proxy/mode'));
  }
  if (proxy.mode === 'pac' && proxy.pac_url === null) {
    found.push(broken('/proxy/pac_url', 'is required in mode pac', '/proxy/mode'));
  }
  return found;
}

function wifiRules({ wifi }: Config, { dualBandRadio }: BoardLimits): BrokenRule[] {
  const { enabled, mode, country, networks, ap } = wifi;
  const found: BrokenRule[] = [];
  if (country !== null && !COUNTRIES.has(country)) {
    found.push(broken('/wifi/country', 'must be a country of ISO 3166-1 (alpha-2)'));
  }
  if (enabled && country === null) {
    found.push(broken('/wifi/country', 'is required while wifi.enabled is true', '/wifi/enabled'));
  }
  if (enabled && mode === 'ap' && ap.psk === null) {
    found.push(broken('/wifi/ap/psk', 'is required for mode ap', '/wifi/mode'));
  }
  if (ap.band === '5' && !dualBandRadio) {
    found.push(broken('/wifi/ap/band', 'must be 2.4: this board has no dual-band radio'));
  } else if (ap.channel !== 0) {
    const channels = accessPointChannels(ap.band, country);
    if (!channels.includes(ap.channel)) {
      const list = channels.join(', ');
      found.push(broken('/wifi/ap/channel', `must be 0 or, in this band and country, one of ${list}`));
    }
  }
  if (ap.ssid !== null && Buffer.byteLength(ap.ssid) > SSID_BYTES) {
    found.push(broken('/wifi/ap/ssid', 'must not be longer than 32 bytes'));
  }
  const seen = new Set<string>();
  networks.forEach(({ ssid }, index) => {
    const path = `/wifi/networks/${index}/ssid`;
    if (Buffer.byteLength(ssid) > SSID_BYTES) {
      found.push(broken(path, 'must not be longer than 32 bytes', '/wifi/networks'));
    }
    if (seen.has(ssid)) found.push(broken(path, 'is listed twice', '/wifi/networks'));
    seen.add(ssid);
  });
  return found;
}
