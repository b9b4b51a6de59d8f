import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { clockIsSet, scheduleMemory } from './clock.ts';

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'vitrine-clock-'));
});
afterEach(() => rm(root, { recursive: true }));

async function put(path: string, text: string): Promise<void> {
  await mkdir(join(root, path, '..'), { recursive: true });
  await writeFile(join(root, path), text);
}

test('a time server or a clock whose battery kept the time has set it, and nothing else', async () => {
  assert.equal(await clockIsSet(root), false);
  await put('sys/class/rtc/rtc0/hctosys', '1\n');
  await put('sys/class/rtc/rtc0/since_epoch', '946684800\n');
  assert.equal(await clockIsSet(root), false, 'a clock that starts in the year 2000');
  await put('sys/class/rtc/rtc0/since_epoch', '1790000000\n');
  assert.equal(await clockIsSet(root), true);
  await put('sys/class/rtc/rtc0/hctosys', '0\n');
  assert.equal(await clockIsSet(root), false, 'the kernel did not use it');
  await put('run/systemd/timesync/synchronized', '');
  assert.equal(await clockIsSet(root), true);
});

test('the schedule’s memory lasts until the next boot', async () => {
  await scheduleMemory(root, 'boot-1').write(false);
  assert.equal(await scheduleMemory(root, 'boot-1').read(), false);
  assert.equal(await scheduleMemory(root, 'boot-2').read(), undefined);
});
