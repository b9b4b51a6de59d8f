/** The time service's D-Bus interface on a real bus, and the configuration that it is told. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import dbusNext from 'dbus-next';
import { createLogger } from '../base/logger.ts';
import { bindGroup, READ_WHEN_NEEDED } from '../resources/config/group.ts';
import { openConfig } from '../resources/config/tests/open-config.ts';
import { applyStoredClock, type Clock, clockFields } from '../resources/device/clock.ts';
import { deviceConfig } from '../resources/device/config.ts';
import { SystemBus } from './dbus.ts';
import { timesyncd } from './timesyncd.ts';

const skip = spawnSync('dbus-daemon', ['--version']).error ? 'dbus-daemon is not installed' : false;
const log = createLogger('silent');
let folder: string;
let address: string;
let daemon: ChildProcess;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vitrine-timesync-'));
  address = `unix:path=${folder}/bus`;
  if (skip) return;
  const args = ['--session', '--nofork', '--print-address', `--address=${address}`];
  daemon = spawn('dbus-daemon', args, { stdio: ['ignore', 'pipe', 'ignore'] });
  if (daemon.stdout) await once(daemon.stdout, 'data');
});
after(async () => {
  if (!skip) {
    daemon.kill();
    await once(daemon, 'exit');
  }
  await rm(folder, { recursive: true });
});

/** As systemd-timesyncd's manager (org.freedesktop.timesync1(5)): it forgets when it ends. */
class Manager extends dbusNext.interface.Interface {
  RuntimeNTPServers: string[] = [];
  /** How often it began to synchronize anew. */
  told = 0;

  SetRuntimeNTPServers(servers: string[]): void {
    this.RuntimeNTPServers = servers;
    this.told += 1;
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

async function until(what: string, condition: () => boolean): Promise<void> {
  const end = performance.now() + 60_000;
  while (!condition()) {
    assert.ok(performance.now() < end, what);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

test('the time service has the configured servers: from the start, live, and when it starts again', {
  skip,
}, async (t) => {
  const dbus = new SystemBus({ log, address });
  t.after(() => dbus.stop());
  const config = await openConfig(folder);
  await config.patch({ device: { ntp_servers: ['192.0.2.1'], timezone: 'Asia/Tokyo' } });
  const zones: string[] = [];
  let changed = 0;
  const first = await service();
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
  config.bind(
    bindGroup(deviceConfig, {
      name: READ_WHEN_NEEDED,
      health_interval_ms: READ_WHEN_NEEDED,
      ...fields,
    }),
  );
  t.after(await applyStoredClock(clock, config));
  assert.deepEqual([zones, changed], [['Asia/Tokyo'], 1], 'the zone is set when the start goes on');
  await until('the stored servers are told', () => first.manager.RuntimeNTPServers[0] === '192.0.2.1');

  const live = await config.patch({ device: { ntp_servers: ['a.example', '2001:db8::1'], timezone: null } });
  assert.deepEqual(live.applied, { 'device.ntp_servers': 'live', 'device.timezone': 'live' });
  assert.deepEqual(first.manager.RuntimeNTPServers, ['a.example', '2001:db8::1']);
  assert.deepEqual([zones, changed], [['Asia/Tokyo', 'UTC'], 1]);
  const { told } = first.manager;
  await config.applyStored('device.ntp_servers');
  assert.equal(first.manager.told, told, 'what it knows it is not told again');

  await first.stop();
  const lost = await config.patch({ device: { ntp_servers: ['b.example'] } });
  assert.deepEqual(lost.applied, { 'device.ntp_servers': 'reboot_required' });
  assert.deepEqual(config.get(deviceConfig).ntp_servers, ['b.example'], 'it stays stored');
  const second = await service();
  await until('the new service is told', () => second.manager.RuntimeNTPServers[0] === 'b.example');
  const own = await config.patch({ device: { ntp_servers: null } });
  assert.deepEqual(own.applied, { 'device.ntp_servers': 'live' });
  assert.deepEqual(second.manager.RuntimeNTPServers, []);
  await second.stop();
});
