/** Configuration group `device`. */
import * as Type from 'typebox';
import { matching } from '../../contract/shared.ts';
import { label } from '../config/field-types.ts';
import { live } from '../config/fields.ts';
import { type BoardLimits, type BrokenRule, configGroup } from '../config/group.ts';

const HostName = Type.String({
  minLength: 1,
  maxLength: 253,
  ...matching(
    '^[0-9A-Za-z:](?:[0-9A-Za-z.:-]*[0-9A-Za-z])?$',
    'must be a host name or an IP address, such as ntp.example',
  ),
});
const HOST_NAME = /^[0-9a-z](?:[0-9a-z-]{0,61}[0-9a-z])?(?:\.[0-9a-z](?:[0-9a-z-]{0,61}[0-9a-z])?)*$/i;

export const deviceConfig = configGroup(
  'device',
  'DeviceConfig',
  {
    name: live.text('Vitrine', {
      ...label(63),
      description: 'One line. `--name` of the agent sets another default',
    }),
    timezone: live.text('UTC', {
      maxLength: 64,
      ...matching(
        '^[A-Za-z][A-Za-z0-9_+-]*(?:/[A-Za-z0-9_+-]+){0,2}$',
        'must be an IANA time zone, such as Europe/Zurich',
      ),
      description:
        'Name of the IANA time zone database, spelt as there; old names that browsers still report (`Asia/Calcutta`) are ' +
        'accepted. The browser restarts. On the profile `generic` it is stored and never applied',
    }),
    ntp_servers: live.list(HostName, 8, {
      description:
        "Host names or IP addresses; empty: the firmware's own list. On the profile `generic` stored and never applied",
    }),
    health_interval_ms: live.int(5000, 500, 3_600_000, {
      description: 'Period of the `health` event while somebody is subscribed',
    }),
  },
  {
    rules: ({ timezone, ntp_servers }, board) => [
      ...zoneRules(timezone, board),
      ...timeServerRules(ntp_servers),
    ],
  },
);

/** A zone must be known to the system, which applies it, and to Intl, by which the power schedule computes. */
function zoneRules(zone: string, { hasTimeZone }: BoardLimits): BrokenRule[] {
  // The default needs no check: the first use of Intl takes 0.4 s of the start in QEMU.
  if (zone === 'UTC') return [];
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions();
    if (hasTimeZone(zone)) return [];
    // Intl ignores case, and the database is a folder of files with case-sensitive names.
    if (timeZone !== zone && timeZone.toLowerCase() === zone.toLowerCase()) {
      return [{ path: '/timezone', message: `must be written as ${timeZone}` }];
    }
  } catch {
    // Intl does not know it.
  }
  return [{ path: '/timezone', message: 'must be a name of the time zone database' }];
}

/** systemd-timesyncd drops the whole list when one entry is neither a host name nor an address. */
function timeServerRules(servers: readonly string[]): BrokenRule[] {
  return servers.flatMap((host, index) => {
    // An IPv4 address looks like a host name.
    if (HOST_NAME.test(host) || URL.canParse(`http://[${host}]/`)) return [];
    const message = 'must be a host name or an IP address';
    return [{ path: `/ntp_servers/${index}`, message, reset: '/ntp_servers' }];
  });
}
