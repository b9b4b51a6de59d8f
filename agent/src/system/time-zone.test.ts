import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { withDefaults } from '../resources/config/tree.ts';
import { deviceConfig } from '../resources/device/config.ts';
import { knownTimeZones, TimeZoneLink } from './time-zone.ts';

let folder: string;
let zones: string;
let link: string;
let zone: TimeZoneLink;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vitrine-zone-'));
  zones = join(folder, 'zoneinfo');
  link = join(folder, 'state/localtime');
  zone = new TimeZoneLink(link, zones);
  for (const name of ['UTC', 'Europe/Berlin', 'America/Los_Angeles']) {
    await mkdir(join(zones, name, '..'), { recursive: true });
    await writeFile(join(zones, name), 'TZif2');
  }
});
afterEach(() => rm(folder, { recursive: true }));

test('links to the data of a zone, and returns whether the zone changed', async () => {
  assert.equal(await zone.set('UTC'), false, 'without a link the zone is UTC');
  assert.equal(await readlink(link), join(zones, 'UTC'));
  assert.equal(await zone.set('Europe/Berlin'), true);
  assert.equal(await readlink(link), join(zones, 'Europe/Berlin'));
  assert.equal(await zone.set('Europe/Berlin'), false);
  await rm(link);
  assert.equal(await zone.set('Europe/Berlin'), true);
});

test('removes temporary links, also those left by a power cut', async () => {
  await mkdir(join(folder, 'state'));
  await symlink('x', join(folder, 'state/.localtime.0123456789ab.tmp'));
  await zone.set('Europe/Berlin');
  assert.deepEqual(await readdir(join(folder, 'state')), ['localtime']);
});

test('refuses a zone without data, and leaves the link', async () => {
  await zone.set('America/Los_Angeles');
  for (const name of ['Asia/Tokyo', 'US/Pacific', 'Europe', 'UTC/x']) {
    await assert.rejects(zone.set(name), new RegExp(`no data for the time zone ${name}`));
  }
  assert.equal(await readlink(link), join(zones, 'America/Los_Angeles'), 'the link is unchanged');
});

/** The names of tzdata.zi, which Debian's packages contain: zones, and links to them. */
async function databaseNames(): Promise<string[]> {
  const text = await readFile('/usr/share/zoneinfo/tzdata.zi', 'utf8').catch(() => '');
  return [...text.matchAll(/^(?:Z (\S+)|L \S+ (\S+))/gm)].map(([, own, other]) => own ?? other ?? '');
}

test('every zone that the configuration accepts can be set, and has the same time in the system and in the schedule', async (t) => {
  const all = [...new Set([...(await databaseNames()), ...Intl.supportedValuesOf('timeZone')])];
  const ofIcu = ['ACT', 'IST', 'SystemV/EST5', 'US/Pacific-New', 'gmt', 'asia/kolkata', 'Factory'];
  const hasTimeZone = knownTimeZones(true);
  const value = withDefaults(deviceConfig.schema, {});
  const board = { dualBandRadio: false, hasTimeZone, hasKeyboardLayout: () => true };
  const accepted = [...all, ...ofIcu].filter((timezone) => {
    return deviceConfig.brokenRules({ ...value, timezone }, board).length === 0;
  });
  if (accepted.length < 400) return t.skip('this computer has no time zone database');
  const system = new TimeZoneLink(link);
  for (const name of accepted) await system.set(name);
  assert.deepEqual(
    accepted.filter((name) => ofIcu.includes(name)),
    [],
  );
  const moments = [Date.UTC(2024, 0, 15, 12), Date.UTC(2024, 6, 15, 12)];
  const script = 'for zone; do for at in $MOMENTS; do TZ=:$zone date -d @$at +%H:%M; done; done';
  const { stdout } = spawnSync('sh', ['-c', script, 'sh', ...accepted], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, MOMENTS: moments.map((moment) => moment / 1000).join(' ') },
    timeout: 60_000,
  });
  const times = accepted.flatMap((timeZone) => {
    const format = new Intl.DateTimeFormat('en', {
      timeZone,
      hourCycle: 'h23',
      hour: '2-digit',
      minute: '2-digit',
    });
    return moments.map((moment) => format.format(moment));
  });
  assert.deepEqual(stdout.trim().split('\n'), times);
});

test('every name that browsers report is known, also on a computer without old names', () => {
  const known = knownTimeZones(false, zones);
  assert.deepEqual(
    Intl.supportedValuesOf('timeZone').filter((name) => !known(name)),
    [],
  );
  assert.equal(known('SystemV/EST5'), false);
  assert.equal(knownTimeZones(true, zones)('Asia/Calcutta'), false);
});
