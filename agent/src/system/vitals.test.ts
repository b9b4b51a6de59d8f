import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
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

test('gives null for what the board does not have', async () => {
  const vitals = await linuxVitals({ dataFolder: join(root, 'gone'), root }).read();
  assert.equal(vitals.throttled, null);
  assert.equal(vitals.undervoltage, null);
  assert.equal(vitals.temperature_c, null);
  assert.equal(vitals.time_synced, null);
  assert.equal(vitals.memory.available_bytes, null);
  assert.deepEqual(vitals.disk, { total_bytes: null, free_bytes: null });
});

test('reads a Raspberry Pi', async () => {
  await put('sys/devices/platform/soc/soc:firmware/get_throttled', '50005\n');
  await put('sys/class/thermal/thermal_zone0/type', 'gpu-thermal\n');
  await put('sys/class/thermal/thermal_zone0/temp', '40000\n');
  await put('sys/class/thermal/thermal_zone1/type', 'cpu-thermal\n');
  await put('sys/class/thermal/thermal_zone1/temp', '61835\n');
  await put('run/systemd/timesync/synchronized', '');
  await put('proc/meminfo', 'MemTotal:        948304 kB\nMemAvailable:    512000 kB\n');
  const vitals = await linuxVitals({ dataFolder: root, root }).read();
  assert.equal(vitals.throttled, true);
  assert.equal(vitals.undervoltage, true);
  assert.equal(vitals.temperature_c, 61.835);
  assert.equal(vitals.time_synced, true);
  assert.equal(vitals.memory.available_bytes, 512000 * 1024);
  assert.ok((vitals.disk.total_bytes ?? 0) > 0);
});

test('reads the alarm of the mainline driver', async () => {
  await put('sys/class/hwmon/hwmon0/name', 'cpu_thermal\n');
  await put('sys/class/hwmon/hwmon1/name', 'rpi_volt\n');
  await put('sys/class/hwmon/hwmon1/in0_lcrit_alarm', '1\n');
  const vitals = await linuxVitals({ dataFolder: root, root }).read();
  assert.equal(vitals.undervoltage, true);
  assert.equal(vitals.throttled, null);
});
