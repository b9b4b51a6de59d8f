import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../base/atomic-file.ts';
import type { ScheduleMemory } from '../resources/display/ports.ts';
import { timeSynced } from './vitals.ts';

/** A clock with an empty battery starts long before this, in s since 1970 (1 January 2026). */
const EARLIEST_S = 1_767_225_600;

/**
 * Whether the clock was set since boot: by a time server, or by the kernel from a real-time clock whose battery kept
 * the time. Otherwise it shows about the time of the last shutdown, or of the build.
 * @param root prefix of all system paths, for tests
 */
export async function clockIsSet(root = '/'): Promise<boolean> {
  if (await timeSynced(join(root, '/run/systemd/timesync'))) return true;
  const folder = join(root, '/sys/class/rtc');
  for (const name of await readdir(folder).catch(() => [])) {
    const read = (file: string) => readFile(join(folder, name, file), 'utf8').then(Number, () => 0);
    if ((await read('hctosys')) === 1 && (await read('since_epoch')) >= EARLIEST_S) return true;
  }
  return false;
}

/** A file in the runtime folder. @param bootId identifies this boot; the folder may be older */
export function scheduleMemory(runtimeFolder: string, bootId: string): ScheduleMemory {
  const path = join(runtimeFolder, 'power-schedule.json');
  return {
    async read() {
      const text = await readFile(path, 'utf8').catch(() => '');
      return [true, false].find((on) => text === JSON.stringify({ boot: bootId, on }));
    },
    write: (on) => writeFileAtomic(path, JSON.stringify({ boot: bootId, on })),
  };
}
