import type { Logger } from '../base/logger.ts';
import { sleep } from '../base/timeout.ts';
import type { SystemBus } from './dbus/bus.ts';
import { anything, shaped } from './dbus/values.ts';
import { MANAGER, SYSTEMD, unitPath } from './systemd.ts';

const CHECK_EVERY_MS = 60_000;
/** A unit that has run for so long has recovered. */
export const STABLE_MS = 60_000;
/** The units with RestartSteps=. */
export const UNITS = [
  'vitrine-kiosk.service',
  'vitrine-agent.service',
  'vitrine-sound.service',
  'vitrine-sound-policy.service',
  'dbus.service',
  'bluetooth.service',
  'wpa_supplicant.service',
  'vitrine-nfc.service',
  'vitrine-peripheral@hid.service',
  'vitrine-peripheral@serial.service',
  'vitrine-peripheral@usb.service',
] as const;

const parseValue = shaped(anything);

/**
 * Restores the first restart delay of units that have run for a minute, until the returned function is called. systemd
 * itself never does (RestartSteps= in systemd.service(5)), so an isolated crash would cost as much as one of a series.
 */
export function keepRestartDelaysShort(
  dbus: SystemBus,
  log: Logger,
  { checkEveryMs = CHECK_EVERY_MS }: { checkEveryMs?: number } = {},
): () => void {
  const stopping = new AbortController();
  const check = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await sleep(checkEveryMs, stopping.signal);
      for (const name of UNITS) {
        if (stopping.signal.aborted) return;
        await reset(dbus, name).catch((err: unknown) => log.debug({ err, name }, 'a unit was not checked'));
      }
    }
  };
  void check();
  return () => stopping.abort();
}

async function reset(dbus: SystemBus, name: string): Promise<void> {
  const property = async (kind: 'Unit' | 'Service', member: string): Promise<unknown> => {
    const [value] = parseValue(
      await dbus.call({
        ...{ destination: SYSTEMD, path: unitPath(name) },
        ...{ interface: 'org.freedesktop.DBus.Properties', member: 'Get' },
        args: [
          ['s', `${SYSTEMD}.${kind}`],
          ['s', member],
        ],
      }),
    );
    return value;
  };
  if ((await property('Service', 'NRestarts')) === 0) return;
  if ((await property('Unit', 'ActiveState')) !== 'active') return;
  const since = Number(await property('Unit', 'ActiveEnterTimestampMonotonic'));
  // hrtime is CLOCK_MONOTONIC, as the timestamp, which is in µs.
  if (Number(process.hrtime.bigint() / 1_000_000n) - since / 1000 < STABLE_MS) return;
  await dbus.call({ ...MANAGER, member: 'ResetFailedUnit', args: [['s', name]] });
}
