/** Restarts, shutdowns and resets: from the request until the device is back, also while another view is shown. */
import { type ReadonlySignal, signal } from '@preact/signals';
import { announce, readUptime, untilAway, untilBack } from '../../app/absence.ts';
import { Action } from '../../app/actions.ts';
import { hasRestarted, type UptimeReading } from '../../app/boot-time.ts';
import { connection, device } from '../../app/device-state.ts';
import { ActionError } from '../../app/failure.ts';
import { formatDuration } from '../../app/format.ts';
import { language, t } from '../../app/texts.ts';
import { toast } from '../../app/toasts.ts';

export type Absent = 'reboot' | 'shutdown' | 'reset';

/** How far it is. `asked`: the device has accepted it, and is still there. */
export interface Going {
  readonly kind: Absent;
  readonly at: 'asked' | 'away';
}

/** A request that the device has accepted. */
interface Accepted {
  readonly kind: Absent;
  readonly before: UptimeReading;
}

const current = signal<Going | undefined>(undefined);

/** Undefined while nothing of this is under way. */
export const going: ReadonlySignal<Going | undefined> = current;

/**
 * Asks the device to go away, which is done when it has accepted that. What follows is in {@link following}.
 * @param confirm the serial number, which a reset needs
 * @throws what requests throw
 */
export async function leave(kind: Absent, confirm = ''): Promise<void> {
  const { client } = connection;
  const before = await readUptime();
  await announce(kind, () => {
    if (kind === 'reset') return client.post('/device/factory-reset', { json: { confirm } });
    return kind === 'reboot' ? client.post('/device/reboot') : client.post('/device/shutdown');
  });
  void following.start({ kind, before });
}

/** Follows the device after a request: done when it has restarted, or is off. */
export const following = new Action<[Accepted]>({
  showsFailure: true,
  run: async ({ kind, before }) => {
    try {
      current.value = { kind, at: 'asked' };
      if (!(await untilAway())) throw new ActionError(t('maintenance.not_gone'));
      const left = performance.now();
      current.value = { kind, at: 'away' };
      // The app cannot tell a device that is off from one that still shuts down.
      if (kind === 'shutdown') return;
      if (!(await untilBack())) throw new ActionError(t('maintenance.not_back'));
      if (!hasRestarted(before, await readUptime())) throw new ActionError(t('maintenance.not_restarted'));
      const time = formatDuration((performance.now() - left) / 1000, language.value);
      await device.refresh();
      const version = device.value.peek()?.version ?? '';
      toast('good', t(`maintenance.${kind}_done`, { time, version }));
    } finally {
      current.value = undefined;
    }
  },
});
