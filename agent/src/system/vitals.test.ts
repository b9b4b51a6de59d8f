import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir, uptime } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { linuxVitals } from './vitals.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'vitrine-vitals-'));
});
afterEach(() => rm(root, { recursive: true }));

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
}

test('returns null for values that the board does not have', async () => {
  const vitals = await linuxVitals({ dataFolder: join(root, 'gone'), root }).read();
  assert.equal(vitals.throttled, null);
  assert.equal(vitals.undervoltage, null);
  assert.equal(vitals.temperature_c, null);
  assert.equal(vitals.time_synced, null);
  assert.equal(vitals.memory.available_bytes, null);
  assert.deepEqual(vitals.disk, { total_bytes: null, free_bytes: null });
});

test('counts the uptime from the start of the first process, which is later in a container', async () => {
  const ticks = Math.round((uptime() - 5) * 100);
  await put('proc/1/stat', `1 (my (init) x) S ${'0 '.repeat(18)}${ticks} 170000000 2000`);
  const { uptime_s } = await linuxVitals({ dataFolder: root, root }).read();
  assert.ok(uptime_s >= 4.9 && uptime_s < 60, String(uptime_s));
});

/** A board as its kernel presents it. */
interface Pi {
  board: string;
  /** Names of the hwmon devices, in order. */
  hwmon: string[];
  /** Types and temperatures of the thermal zones. */
  zones: [type: string, millidegrees: string][];
  temperature: number | null;
}

const PIS: Pi[] = [
  {
    board: 'Pi 3',
    hwmon: ['cpu_thermal', 'rpi_volt'],
    zones: [['cpu-thermal', '48312']],
    temperature: 48.312,
  },
  {
    board: 'Pi 4',
    hwmon: ['cpu_thermal', 'rpi_volt'],
    zones: [['cpu-thermal', '61835']],
    temperature: 61.835,
  },
  {
    board: 'Pi 5',
    hwmon: ['cpu_thermal', 'rp1_adc', 'pwmfan', 'rpi_volt'],
    zones: [['cpu-thermal', '55000']],
    temperature: 55,
  },
  {
    board: 'a kernel with another zone first',
    hwmon: ['rpi_volt', 'cpu_thermal'],
    zones: [
      ['gpu-thermal', '40000'],
      ['cpu-thermal', '61000'],
    ],
    temperature: 61,
  },
];

interface Condition {
  what: string;
  /** The firmware's answer; undefined when the query fails. */
  flags: string | undefined;
  alarm: string;
  throttled: boolean | null;
  undervoltage: boolean | null;
}

const CONDITIONS: Condition[] = [
  { what: 'nothing', flags: '0', alarm: '0', throttled: false, undervoltage: false },
  { what: 'undervoltage now', flags: '10001', alarm: '1', throttled: false, undervoltage: true },
  { what: 'throttled for undervoltage', flags: '50005', alarm: '1', throttled: true, undervoltage: true },
  { what: 'only the kernel saw it', flags: '0', alarm: '1', throttled: false, undervoltage: true },
  { what: 'frequency capped', flags: '20002', alarm: '0', throttled: true, undervoltage: false },
  { what: 'soft temperature limit', flags: '80008', alarm: '0', throttled: true, undervoltage: false },
  { what: 'all of it, in the past', flags: 'f0000', alarm: '0', throttled: false, undervoltage: false },
  { what: 'no answer', flags: undefined, alarm: '1', throttled: null, undervoltage: true },
  { what: 'no number', flags: 'throttled=0x4', alarm: '0', throttled: null, undervoltage: false },
];

/** Replaces vitrine-throttled. */
async function firmware(flags: string | undefined): Promise<string> {
  const path = join(root, 'throttled');
  await writeFile(path, `#!/bin/sh\n${flags === undefined ? 'exit 1' : `echo ${flags}`}\n`, { mode: 0o755 });
  return path;
}

for (const { board, hwmon, zones, temperature } of PIS) {
  for (const { what, flags, alarm, throttled, undervoltage } of CONDITIONS) {
    test(`reads a ${board}: ${what}`, async () => {
      await put('dev/vcio', '');
      for (const [index, name] of hwmon.entries()) {
        await put(`sys/class/hwmon/hwmon${index}/name`, `${name}\n`);
        if (name === 'rpi_volt') await put(`sys/class/hwmon/hwmon${index}/in0_lcrit_alarm`, `${alarm}\n`);
      }
      for (const [index, [type, millidegrees]] of zones.entries()) {
        await put(`sys/class/thermal/thermal_zone${index}/type`, `${type}\n`);
        await put(`sys/class/thermal/thermal_zone${index}/temp`, `${millidegrees}\n`);
      }
      const throttledCommand = await firmware(flags);
      const vitals = await linuxVitals({ dataFolder: root, root, throttledCommand }).read();
      assert.equal(vitals.throttled, throttled);
      assert.equal(vitals.undervoltage, undervoltage);
      assert.equal(vitals.temperature_c, temperature);
    });
  }
}

test('does not query a computer without that firmware', async () => {
  const throttledCommand = await firmware('4');
  assert.equal((await linuxVitals({ dataFolder: root, root, throttledCommand }).read()).throttled, null);
});

test('returns null when the query program is missing', async () => {
  await put('dev/vcio', '');
  const throttledCommand = join(root, 'missing');
  assert.equal((await linuxVitals({ dataFolder: root, root, throttledCommand }).read()).throttled, null);
});

test('reads the available memory and whether the clock is set', async () => {
  await put('run/systemd/timesync/synchronized', '');
  await put('proc/meminfo', 'MemTotal:        948304 kB\nMemAvailable:    512000 kB\n');
  const vitals = await linuxVitals({ dataFolder: root, root }).read();
  assert.equal(vitals.time_synced, true);
  assert.equal(vitals.memory.available_bytes, 512000 * 1024);
  assert.ok((vitals.disk.total_bytes ?? 0) > 0);
});
