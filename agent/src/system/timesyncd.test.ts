/** The time service's D-Bus interface on a real bus, with the configuration that it gets. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import dbusNext from 'dbus-next';
import { waitFor } from '../../../testing/wait.ts';
import { createLogger } from '../base/logger.ts';
import { bindGroup, READ_WHEN_NEEDED } from '../resources/config/group.ts';
import { openConfig } from '../resources/config/tests/open-config.ts';
import { applyStoredClock, type Clock, clockFields } from '../resources/device/clock.ts';
import { deviceConfig } from '../resources/device/config.ts';
import { SystemBus } from './dbus/bus.ts';
import { BusDaemon, noDaemon as skip } from './tests/bus.ts';
import { timesyncd } from './timesyncd.ts';

const log = createLogger('silent');
const daemon = new BusDaemon();
const { address } = daemon;
let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vitrine-timesync-'));
  if (!skip) await daemon.start();
});
after(async () => {
  await daemon.remove();
  await rm(folder, { recursive: true });
});

/** As systemd-timesyncd's manager (org.freedesktop.timesync1(5)): it loses the servers when it exits. */
class Manager extends dbusNext.interface.Interface {
  RuntimeNTPServers: string[] = [];
  /** How often it restarted the synchronization. */
  sets = 0;

  SetRuntimeNTPServers(servers: string[]): void {
    this.RuntimeNTPServers = servers;
    this.sets += 1;
  }
}
Manager.configureMembers({
  properties: { RuntimeNTPServers: { signature: 'as', access: 'read' } },
  methods: { SetRuntimeNTPServers: { inSignature: 'as', outSignature: '' } },
});

async function service(): Promise<{ manager: Manager; stop(): Promise<void> }> {
  const connection = dbusNext.sessionBus({ busAddress: address });
  const manager = new Manager('org.freedesktop.timesync1.Manager');
  connection.export('/org/freedesktop/timesync1', manager);
  await connection.requestName('org.freedesktop.timesync1', 0);
  return {
    manager,
    stop: async () => {
      await connection.releaseName('org.freedesktop.timesync1');
      connection.disconnect();
    },
  };
}

const until = (what: string, condition: () => boolean) =>
  waitFor(condition, { timeoutMs: 60_000, intervalMs: 5, what });

test('the time service has the configured servers: from the start, live, and when it starts again', {
  skip,
}, async (t) => {
  const dbus = new SystemBus({ log, address });
  t.after(() => dbus.stop());
  const config = await openConfig(folder);
  await config.patch({ device: { ntp_servers: ['192.0.2.1'], timezone: 'Asia/Tokyo' } });
  const zones: string[] = [];
  let changed = 0;
  const clock: Clock = {
    zone: {
      set: async (zone) => {
        zones.push(zone);
        return zone !== 'UTC';
      },
    },
    servers: timesyncd(dbus),
  };
  const fields = clockFields(clock, () => {
    changed += 1;
  });
  config.bind(bindGroup(deviceConfig, READ_WHEN_NEEDED, fields));
  t.after(await applyStoredClock(clock, config));
  assert.deepEqual([zones, changed], [['Asia/Tokyo'], 1], 'the zone is set when the start goes on');
  // In turn after everything that is being applied.
  await config.patch({});
  assert.deepEqual(config.problems(), [], 'a time service that has not started yet is no problem');
  const first = await service();
  await until('the stored servers are set', () => first.manager.RuntimeNTPServers[0] === '192.0.2.1');

  const live = await config.patch({ device: { ntp_servers: ['a.example', '2001:db8::1'], timezone: null } });
  assert.deepEqual(live.applied, { 'device.ntp_servers': 'live', 'device.timezone': 'live' });
  assert.deepEqual(first.manager.RuntimeNTPServers, ['a.example', '2001:db8::1']);
  assert.deepEqual([zones, changed], [['Asia/Tokyo', 'UTC'], 1]);
  const { sets } = first.manager;
  await config.applyStored('device.ntp_servers');
  assert.equal(first.manager.sets, sets, 'the same servers are not set again');

  await first.stop();
  const lost = await config.patch({ device: { ntp_servers: ['b.example'] } });
  assert.deepEqual(lost.applied, { 'device.ntp_servers': 'reboot_required' });
  assert.deepEqual(config.get(deviceConfig).ntp_servers, ['b.example'], 'it stays stored');
  const second = await service();
  await until('the new service gets the servers', () => second.manager.RuntimeNTPServers[0] === 'b.example');
  const own = await config.patch({ device: { ntp_servers: null } });
  assert.deepEqual(own.applied, { 'device.ntp_servers': 'live' });
  assert.deepEqual(second.manager.RuntimeNTPServers, []);
  await second.stop();
});
