import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { TimeZoneLink } from './time-zone.ts';

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

test('resolves a renamed zone, and refuses a zone without data', async () => {
  assert.equal(await zone.set('US/Pacific'), true);
  assert.equal(await readlink(link), join(zones, 'America/Los_Angeles'));
  await assert.rejects(zone.set('Asia/Tokyo'), /no data for the time zone Asia\/Tokyo/);
  assert.equal(await readlink(link), join(zones, 'America/Los_Angeles'), 'the link is unchanged');
});
