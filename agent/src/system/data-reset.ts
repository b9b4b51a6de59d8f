import { ApiError } from '../contract/errors.ts';
import { now } from '../contract/shared.ts';
import type { DataReset } from '../resources/device/ports.ts';
import { writeFileAtomic } from './atomic-file.ts';

/**
 * Leaves the file that makes the initramfs (board/common/initramfs/init) give /data a new file system.
 * @param flag path of that file; undefined where the system does not boot through our initramfs
 */
export function initramfsDataReset(flag: string | undefined): DataReset {
  const refuse = () => new ApiError('unavailable', 'This system has no data partition of its own.');
  return {
    check() {
      if (flag === undefined) throw refuse();
    },
    async request() {
      if (flag === undefined) throw refuse();
      await writeFileAtomic(flag, `${now()}\n`, 0o600);
    },
  };
}
