import { access, readdir, readFile, statfs } from 'node:fs/promises';
import { loadavg, totalmem, uptime } from 'node:os';
import { join } from 'node:path';
import type { Vitals } from '../resources/device/ports.ts';
import { run } from './processes.ts';

/** Device for requests to a Raspberry Pi's firmware. */
const FIRMWARE_MAILBOX = '/dev/vcio';
/** The kernel waits 3 s for the firmware's answer. */
const FIRMWARE_TIMEOUT_MS = 5000;
/**
 * Bits of the firmware's answer: 0 undervoltage, 1 frequency capped, 2 throttled, 3 soft temperature limit; 16 to 19 the
 * same since boot.
 */
const UNDERVOLTAGE_BITS = 0b0001;
const THROTTLED_BITS = 0b1110;
/** Times in procfs are in this unit (USER_HZ of the kernel). */
const TICKS_PER_S = 100;
/** Thermal zones of the processor, the preferred ones first. */
const PROCESSOR_ZONES = [/^cpu/i, /^x86_pkg_temp$/, /soc/i, /^acpitz$/];

export interface VitalsOptions {
  /** A folder on the data partition. */
  dataFolder: string;
  /** Prefix of all system paths, for tests. */
  root?: string;
  /** native/vitrine-throttled.c: the mailbox needs an ioctl, which Node does not have. */
  throttledCommand?: string;
}

/** Reads the board's health from procfs and sysfs; values that the board does not have are null. */
export function linuxVitals({
  dataFolder,
  root = '/',
  throttledCommand = 'vitrine-throttled',
}: VitalsOptions): Vitals {
  const at = (path: string) => join(root, path);
  return {
    async read() {
      const [firmware, alarm, temperature, memory, disk, synced, begun] = await Promise.all([
        firmwareFlags(at(FIRMWARE_MAILBOX), throttledCommand),
        undervoltageAlarm(at('/sys/class/hwmon')),
        processorTemperature(at('/sys/class/thermal')),
        availableMemory(at('/proc/meminfo')),
        statfs(dataFolder).catch(() => undefined),
        timeSynced(at('/run/systemd/timesync')),
        systemStart(at('/proc/1/stat')),
      ]);
      return {
        uptime_s: Math.round((uptime() - begun) * 1000) / 1000,
        throttled: firmware === null ? null : (firmware & THROTTLED_BITS) !== 0,
        undervoltage: undervoltageOf(firmware, alarm),
        temperature_c: temperature,
        load_1m: loadavg()[0] ?? 0,
        memory: { total_bytes: totalmem(), available_bytes: memory },
        disk: {
          total_bytes: disk ? disk.blocks * disk.bsize : null,
          free_bytes: disk ? disk.bavail * disk.bsize : null,
        },
        time_synced: synced,
      };
    },
  };
}

/**
 * When the first process started, in s after the kernel did: in a container, the kernel's uptime is that of the whole
 * computer. 0 if it cannot be read.
 */
async function systemStart(path: string): Promise<number> {
  // The name of the program, in parentheses, may have spaces.
  const fields = (await readText(path))?.replace(/^.*\) /s, '').split(' ') ?? [];
  // `state` is field 3 of proc_pid_stat(5), `starttime` field 22.
  const ticks = Number(fields[22 - 3] ?? 0);
  return Number.isNaN(ticks) ? 0 : ticks / TICKS_PER_S;
}

async function readText(path: string): Promise<string | null> {
  return readFile(path, 'utf8').then(
    (text) => text.trim(),
    () => null,
  );
}

async function readNumber(path: string): Promise<number | null> {
  const value = Number.parseInt((await readText(path)) ?? '', 10);
  return Number.isNaN(value) ? null : value;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** The Raspberry Pi firmware's flags about power and heat; null without such firmware. */
async function firmwareFlags(mailbox: string, command: string): Promise<number | null> {
  if (!(await exists(mailbox))) return null;
  const answer = await run(command, [], { timeoutMs: FIRMWARE_TIMEOUT_MS }).catch(() => undefined);
  return answer?.code === 0 && /^[0-9a-f]{1,8}\n$/.test(answer.stdout)
    ? Number.parseInt(answer.stdout, 16)
    : null;
}

/** The kernel's alarm lasts two seconds, the firmware's bit only as long as the undervoltage. */
function undervoltageOf(firmware: number | null, alarm: boolean | null): boolean | null {
  if (firmware === null) return alarm;
  return alarm === true || (firmware & UNDERVOLTAGE_BITS) !== 0;
}

/** Alarm of the kernel's driver for that firmware, `rpi_volt`, at any place among the hwmon devices. */
async function undervoltageAlarm(folder: string): Promise<boolean | null> {
  for (const entry of await readdir(folder).catch(() => [])) {
    if ((await readText(join(folder, entry, 'name'))) !== 'rpi_volt') continue;
    const alarm = await readNumber(join(folder, entry, 'in0_lcrit_alarm'));
    return alarm === null ? null : alarm !== 0;
  }
  return null;
}

async function processorTemperature(folder: string): Promise<number | null> {
  const zones = (await readdir(folder).catch(() => [])).filter((name) => name.startsWith('thermal_zone'));
  const types = await Promise.all(zones.map((zone) => readText(join(folder, zone, 'type'))));
  for (const pattern of PROCESSOR_ZONES) {
    const zone = zones[types.findIndex((type) => type !== null && pattern.test(type))];
    const millidegrees = zone === undefined ? null : await readNumber(join(folder, zone, 'temp'));
    if (millidegrees !== null) return millidegrees / 1000;
  }
  return null;
}

/** Memory available to programs without swapping, in bytes. */
async function availableMemory(path: string): Promise<number | null> {
  const kibibytes = /^MemAvailable:\s+(\d+) kB$/m.exec((await readText(path)) ?? '')?.[1];
  return kibibytes === undefined ? null : Number(kibibytes) * 1024;
}

/** systemd-timesyncd creates a file when it has set the clock; null when it does not run. */
export async function timeSynced(folder: string): Promise<boolean | null> {
  if (await exists(join(folder, 'synchronized'))) return true;
  return (await exists(folder)) ? false : null;
}
