/** What is announced, over systemd-resolved's interface on a real bus; and who answers for the shared name. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import dbusNext from 'dbus-next';
import { encode } from 'dns-packet';
import { waitFor } from '../../../../testing/wait.ts';
import { createLogger } from '../../base/logger.ts';
import { SystemBus } from '../dbus/bus.ts';
import { BusDaemon, noDaemon as skip } from '../tests/bus.ts';
import { ResolvedAnnouncer } from './resolved.ts';
import { answersTo, questionsOf } from './shared-name.ts';

const log = createLogger('silent');
const daemon = new BusDaemon();

before(async () => {
  if (!skip) await daemon.start();
});
after(() => daemon.remove());

/** As systemd-resolved's manager (org.freedesktop.resolve1(5)). */
class Manager extends dbusNext.interface.Interface {
  /** The service that is announced: its instance, type, port and entries. */
  announced: unknown[] | undefined;
  registrations = 0;

  RegisterService(
    id: string,
    instance: string,
    type: string,
    port: number,
    _priority: number,
    _weight: number,
    records: Record<string, Buffer>[],
  ): string {
    if (this.announced) throw new dbusNext.DBusError('org.freedesktop.resolve1.DnssdServiceExists', id);
    const entries = records.flatMap((record) => Object.entries(record));
    this.announced = [
      instance,
      type,
      port,
      Object.fromEntries(entries.map(([key, value]) => [key, String(value)])),
    ];
    this.registrations += 1;
    return `/org/freedesktop/resolve1/dnssd/${id}`;
  }

  UnregisterService(path: string): void {
    assert.equal(path, '/org/freedesktop/resolve1/dnssd/vitrine');
    this.announced = undefined;
  }
}
Manager.configureMembers({
  methods: {
    RegisterService: { inSignature: 'sssqqqaa{say}', outSignature: 'o' },
    UnregisterService: { inSignature: 'o', outSignature: '' },
  },
});

async function resolved(): Promise<{ manager: Manager; stop(): Promise<void> }> {
  const connection = dbusNext.sessionBus({ busAddress: daemon.address });
  const manager = new Manager('org.freedesktop.resolve1.Manager');
  connection.export('/org/freedesktop/resolve1', manager);
  await connection.requestName('org.freedesktop.resolve1', 0);
  return {
    manager,
    stop: async () => {
      await connection.releaseName('org.freedesktop.resolve1');
      connection.disconnect();
    },
  };
}

const until = (what: string, condition: () => boolean) => waitFor(condition, { timeoutMs: 20_000, what });

test('the device is announced with its facts, again after a change and when resolved has restarted', {
  skip,
}, async () => {
  const dbus = new SystemBus({ log, address: daemon.address });
  const announcer = new ResolvedAnnouncer({ dbus, log });
  let name = 'Lobby';
  const expected = (entries: object) => ['%H', '_vitrine._tcp', 80, entries];
  try {
    const first = await resolved();
    announcer.start(() => ({ serial: 'S1', name }));
    await until('the announcement', () => first.manager.announced !== undefined);
    assert.deepEqual(first.manager.announced, expected({ serial: 'S1', name: 'Lobby' }));
    // 255 bytes with "name=", and no half of a character.
    name = `${'x'.repeat(249)}é`;
    announcer.changed();
    await until('the new name', () => first.manager.registrations === 2);
    assert.deepEqual(first.manager.announced, expected({ serial: 'S1', name: 'x'.repeat(249) }));
    await first.stop();
    const second = await resolved();
    await until('the announcement again', () => second.manager.announced !== undefined);
    await announcer.stop();
    assert.equal(second.manager.announced, undefined);
    announcer.changed();
    await second.stop();
    assert.equal(second.manager.registrations, 1);
  } finally {
    await dbus.stop();
  }
});

test('what the agent has announced before it was killed is replaced', { skip }, async () => {
  const service = await resolved();
  service.manager.announced = ['of the agent before'];
  const dbus = new SystemBus({ log, address: daemon.address });
  const announcer = new ResolvedAnnouncer({ dbus, log });
  try {
    announcer.start(() => ({ serial: 'S1' }));
    await until('the announcement', () => service.manager.registrations === 1);
    assert.deepEqual(service.manager.announced, ['%H', '_vitrine._tcp', 80, { serial: 'S1' }]);
    await announcer.stop();
  } finally {
    await dbus.stop();
    await service.stop();
  }
});

test('only the questions of queries are read, and only of those that may be one', () => {
  const questions = [{ type: 'A' as const, name: 'vitrine.local' }];
  const query = encode({ type: 'query', id: 7, questions });
  assert.deepEqual(
    questionsOf(query)?.questions.map(({ name, type }) => [name, type]),
    [['vitrine.local', 'A']],
  );
  assert.equal(questionsOf(query)?.id, 7);
  // As other networks may send: the firewall lets only answers pass.
  assert.equal(questionsOf(encode({ type: 'response', questions })), undefined);
  const known = encode({
    type: 'query',
    questions,
    answers: [{ type: 'A', name: 'a.local', data: '10.0.0.1' }],
  });
  // What follows the questions may be anything.
  known.fill(0xff, query.length);
  assert.equal(questionsOf(known)?.questions.length, 1);
  assert.equal(questionsOf(Buffer.concat([query, Buffer.alloc(1500)])), undefined);
  const many = encode({ type: 'query', questions: Array(33).fill(questions[0]) });
  assert.equal(questionsOf(many), undefined);
  for (const cut of [0, 11, query.length - 1]) assert.equal(questionsOf(query.subarray(0, cut)), undefined);
});

test('the shared name has an address of IPv4 and nothing else, and no other name is answered', () => {
  const ask = (name: string, type: 'A' | 'AAAA') =>
    answersTo([{ name, type }], 'vitrine.local', '10.55.140.5').map(({ type: kind, name: about }) => [
      kind,
      about,
    ]);
  assert.deepEqual(ask('Vitrine.local', 'A'), [['A', 'vitrine.local']]);
  assert.deepEqual(ask('vitrine.local', 'AAAA'), [['NSEC', 'vitrine.local']]);
  assert.deepEqual(ask('vitrine-055886.local', 'A'), []);
  assert.deepEqual(ask('vitrine', 'A'), []);
});
