/** The part of systemd's D-Bus interface that tells how often a unit was restarted, on a real bus. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import dbusNext from 'dbus-next';
import { waitFor } from '../../../testing/wait.ts';
import { createLogger } from '../base/logger.ts';
import { SystemBus } from './dbus/bus.ts';
import { keepRestartDelaysShort } from './restart-delays.ts';
import { SYSTEMD, unitPath } from './systemd.ts';
import { BusDaemon, noDaemon as skip } from './tests/bus.ts';

const daemon = new BusDaemon();

class Unit extends dbusNext.interface.Interface {
  ActiveState: string;
  ActiveEnterTimestampMonotonic: bigint;

  constructor(state: string, secondsAgo: number) {
    super(`${SYSTEMD}.Unit`);
    this.ActiveState = state;
    this.ActiveEnterTimestampMonotonic = process.hrtime.bigint() / 1000n - BigInt(secondsAgo * 1_000_000);
  }
}
Unit.configureMembers({
  properties: {
    ActiveState: { signature: 's', access: 'read' },
    ActiveEnterTimestampMonotonic: { signature: 't', access: 'read' },
  },
});

class Service extends dbusNext.interface.Interface {
  reads = 0;
  readonly #restarts: number;

  constructor(restarts: number) {
    super(`${SYSTEMD}.Service`);
    this.#restarts = restarts;
  }

  get NRestarts(): number {
    this.reads += 1;
    return this.#restarts;
  }
}
Service.configureMembers({ properties: { NRestarts: { signature: 'u', access: 'read' } } });

class Manager extends dbusNext.interface.Interface {
  readonly reset = new Set<string>();

  ResetFailedUnit(name: string): void {
    this.reset.add(name);
  }
}
Manager.configureMembers({ methods: { ResetFailedUnit: { inSignature: 's', outSignature: '' } } });

before(async () => {
  if (!skip) await daemon.start();
});
after(() => daemon.remove());

test('the restart delay of a unit that has run for a minute is reset, and of no other', {
  skip,
}, async () => {
  const systemd = dbusNext.sessionBus({ busAddress: daemon.address });
  const manager = new Manager(`${SYSTEMD}.Manager`);
  systemd.export('/org/freedesktop/systemd1', manager);
  const add = (name: string, state: string, secondsAgo: number, restarts: number): Service => {
    const service = new Service(restarts);
    systemd.export(unitPath(name), new Unit(state, secondsAgo));
    systemd.export(unitPath(name), service);
    return service;
  };
  // There is no vitrine-kiosk.service, the first that is asked for.
  add('vitrine-agent.service', 'active', 61, 3);
  add('vitrine-sound.service', 'active', 30, 3);
  add('vitrine-sound-policy.service', 'activating', 61, 3);
  const last = add('dbus.service', 'active', 61, 0);
  await systemd.requestName(SYSTEMD, 0);
  const log = createLogger('silent');
  const bus = new SystemBus({ log, address: daemon.address });
  const stop = keepRestartDelaysShort(bus, log, { checkEveryMs: 10 });
  try {
    await waitFor(() => last.reads >= 3, { timeoutMs: 10_000, what: 'three rounds' });
    assert.deepEqual([...manager.reset], ['vitrine-agent.service']);
  } finally {
    stop();
    await bus.stop();
    systemd.disconnect();
  }
});
