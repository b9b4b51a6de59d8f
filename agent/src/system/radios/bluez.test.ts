/** The adapter of BlueZ on a real bus, with a small service in its place that decides about the order of its signals. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import dbusNext, { type Message } from 'dbus-next';
import { waitFor } from '../../../../testing/wait.ts';
import { createLogger } from '../../base/logger.ts';
import type { PairingAnswer, PairingRequest } from '../../resources/bluetooth/ports.ts';
import { SystemBus } from '../dbus/bus.ts';
import { BusDaemon, BusPeer, noDaemon as skip } from '../tests/bus.ts';
import { BluezRadio } from './bluez.ts';
import { AGENT_PATH } from './bluez-agent.ts';

const log = createLogger('silent');
const daemon = new BusDaemon();
const { address } = daemon;
before(() => (skip ? undefined : daemon.start()));
after(() => daemon.remove());

const ADAPTER = 'org.bluez.Adapter1';
const DEVICE = 'org.bluez.Device1';
const PROPERTIES = 'org.freedesktop.DBus.Properties';
const MANAGER = 'org.freedesktop.DBus.ObjectManager';
const HCI0 = '/org/bluez/hci0';
const HCI1 = '/org/bluez/hci1';
const KEYBOARD = `${HCI0}/dev_AA_BB_CC_DD_EE_01`;
const { Variant } = dbusNext;

const until = (what: string, condition: () => boolean) =>
  waitFor(condition, { timeoutMs: 60_000, intervalMs: 5, what });
const unavailable = (work: Promise<unknown>, message: RegExp) =>
  assert.rejects(work, { code: 'unavailable', message });

type Values = Record<string, unknown>;
const SIGNATURES: Record<string, string> = { RSSI: 'n', DiscoverableTimeout: 'u', UUIDs: 'as' };
const variants = (values: Values) =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      return [name, new Variant(SIGNATURES[name] ?? (typeof value === 'boolean' ? 'b' : 's'), value)];
    }),
  );

const adapter = (number: number): Values => ({
  ...{ Address: `00:11:22:33:44:0${number}`, Alias: 'BlueZ', Powered: false, PowerState: 'off' },
  ...{ Discovering: false, Discoverable: false, DiscoverableTimeout: 180, Pairable: true },
});
const keyboard = (): Values => ({
  ...{ Address: 'AA:BB:CC:DD:EE:01', Name: 'Key\u0007board\u202e', Icon: 'input-keyboard', RSSI: -40 },
  ...{ Paired: false, Bonded: false, Connected: false, Trusted: false },
  UUIDs: ['00001812-0000-1000-8000-00805F9B34FB'],
});

/** In place of bluetoothd. */
class Bluez {
  readonly objects = new Map<string, [iface: string, values: Values]>();
  readonly peer: BusPeer;
  /** Answers a call in another way: with the D-Bus error's name, or not at all. */
  refuse: (member: string) => string | undefined = () => undefined;
  /** Whether a property changes as it is set. */
  obeys = true;

  constructor(peer: BusPeer) {
    this.peer = peer;
    peer.answer = (call) => {
      queueMicrotask(() => this.#answer(call));
      return undefined;
    };
  }

  static async start(objects: [path: string, iface: string, values: Values][]): Promise<Bluez> {
    const peer = await BusPeer.connect(address);
    const bluez = new Bluez(peer);
    for (const [path, iface, values] of objects) bluez.objects.set(path, [iface, values]);
    await peer.own('org.bluez');
    return bluez;
  }

  add(path: string, iface: string, values: Values): void {
    this.objects.set(path, [iface, values]);
    this.peer.emit(['/', MANAGER, 'InterfacesAdded'], 'oa{sa{sv}}', [path, { [iface]: variants(values) }]);
  }

  remove(path: string): void {
    const [iface] = this.objects.get(path) ?? assert.fail();
    this.objects.delete(path);
    this.peer.emit(['/', MANAGER, 'InterfacesRemoved'], 'oas', [path, [iface]]);
  }

  change(path: string, change: Values): void {
    const [iface, values] = this.objects.get(path) ?? assert.fail();
    Object.assign(values, change);
    this.peer.emit([path, PROPERTIES, 'PropertiesChanged'], 'sa{sv}as', [iface, variants(change), []]);
  }

  /** The members that were called, with the argument of those that have one of interest. */
  get calls(): string[] {
    return this.peer.calls.map(({ member, body }) => {
      if (member === 'Set') return `${body[1]} ${body[2].value}`;
      return member === 'RegisterAgent' ? `${member} ${body[0]} ${body[1]}` : member;
    });
  }

  #answer(call: Message): void {
    const { member, path, body } = call;
    const refused = this.refuse(member === 'Set' ? body[1] : member);
    if (refused === 'silent') return;
    if (refused !== undefined) {
      this.peer.refuse(call, refused, 'The text of BlueZ');
      return;
    }
    if (member === 'GetManagedObjects') {
      const all = [...this.objects].map(([each, [iface, values]]) => [each, { [iface]: variants(values) }]);
      this.peer.reply(call, ['a{oa{sa{sv}}}', Object.fromEntries(all)]);
      return;
    }
    // As BlueZ does: the reply first, then the signal.
    this.peer.reply(call, ['']);
    if (member === 'Set' && this.obeys) this.change(path, { [body[1]]: body[2].value });
    if (member === 'StartDiscovery') this.change(path, { Discovering: true });
    if (member === 'Pair') this.change(path, { Bonded: true, Paired: true });
    if (member === 'RemoveDevice') this.remove(body[0]);
  }
}

let bluez: Bluez;
let bus: SystemBus;
let radio: BluezRadio;
let changes: number;
let requests: PairingRequest[];
let answer: PairingAnswer;
let unwatch: () => void;
const units: string[] = [];

beforeEach(async () => {
  if (skip) return;
  bluez = await Bluez.start([
    [HCI0, ADAPTER, adapter(0)],
    [KEYBOARD, DEVICE, keyboard()],
  ]);
  bus = new SystemBus({ log, address });
  const systemd = {
    start: async (name: string) => void units.push(`start ${name}`),
    stop: async () => {
      throw new Error('job failed');
    },
  };
  radio = new BluezRadio({ bus, systemd, log });
  changes = 0;
  requests = [];
  answer = { accepted: true };
  unwatch = radio.watch(
    () => {
      changes += 1;
    },
    {
      answer: (request) => {
        requests.push(request);
        return answer;
      },
      cancel: () => undefined,
      released: () => undefined,
    },
  );
  await until('the objects', () => radio.state.isUp);
});
afterEach(async () => {
  if (skip) return;
  unwatch();
  await bus.stop();
  await bluez.peer.stop();
});

test('uses the first adapter with its devices, and the next one when it is gone', { skip }, async () => {
  assert.deepEqual(radio.state.adapter?.id, HCI0);
  assert.deepEqual(
    [...radio.devices.values()],
    [
      {
        ...{
          id: KEYBOARD,
          address: 'AA:BB:CC:DD:EE:01',
          name: 'Keyboard',
          icon: 'input-keyboard',
          rssi: -40,
        },
        ...{ paired: false, connected: false, trusted: false },
        profiles: ['00001812-0000-1000-8000-00805f9b34fb'],
      },
    ],
  );
  bluez.add('/org/bluez/hci10', ADAPTER, adapter(2));
  bluez.add(HCI1, ADAPTER, { ...adapter(1), Powered: true });
  bluez.add(`${HCI1}/dev_AA_BB_CC_DD_EE_02`, DEVICE, { ...keyboard(), Address: 'AA:BB:CC:DD:EE:02' });
  await until('the other adapter', () => radio.state.othersPowered.length === 1);
  assert.deepEqual([radio.state.adapter?.id, radio.devices.size], [HCI0, 1]);
  bluez.remove(KEYBOARD);
  bluez.remove(HCI0);
  await until('the next adapter', () => radio.state.adapter?.id === HCI1);
  assert.deepEqual(radio.state.othersPowered, []);
  assert.deepEqual(
    [...radio.devices.values()].map((device) => device.address),
    ['AA:BB:CC:DD:EE:02'],
  );
  bluez.remove(HCI1);
  await until('hci10', () => radio.state.adapter?.id === '/org/bluez/hci10');
  await bluez.peer.stop();
  await until('the end', () => !radio.state.isUp);
  assert.deepEqual([radio.state.adapter, radio.devices.size], [undefined, 0]);
});

test('follows devices, and reports only what is shown', { skip }, async () => {
  bluez.change(KEYBOARD, { RSSI: -70 });
  await until('the change', () => radio.devices.get(KEYBOARD)?.rssi === -70);
  const before = changes;
  for (let count = 0; count < 100; count++) bluez.change(KEYBOARD, { Modalias: `usb:${count}` });
  bluez.add(`${KEYBOARD}/service1`, 'org.bluez.GattService1', { UUID: 'x' });
  bluez.add(`${HCI0}/dev_x`, DEVICE, { ...keyboard(), Address: 'no address' });
  bluez.change(HCI0, { Discovering: true });
  await until('the last change', () => radio.state.adapter?.discovering === true);
  assert.equal(changes - before, 2, 'the device without an address, and the adapter');
  assert.equal(radio.devices.size, 1);
});

test('a setting is set when the daemon shows it', { skip }, async () => {
  await radio.set(HCI0, { name: 'alias', value: 'Lobby' });
  assert.equal(radio.state.adapter?.alias, 'Lobby');
  await radio.set(HCI0, { name: 'discoverableTimeout', value: 0 });
  await radio.set(HCI0, { name: 'powered', value: true });
  await radio.trust(KEYBOARD);
  assert.equal(radio.devices.get(KEYBOARD)?.trusted, true);
  assert.deepEqual(bluez.calls.slice(1), [
    'Alias Lobby',
    'DiscoverableTimeout 0',
    'Powered true',
    'Trusted true',
  ]);
  bluez.obeys = false;
  await unavailable(
    radio.set(HCI0, { name: 'discoverable', value: true }),
    /does not do what it has accepted/,
  );
});

test('refusals become sentences', { skip }, async () => {
  const powered = () => radio.set(HCI0, { name: 'powered', value: true });
  const cases: [error: string, message: RegExp][] = [
    ['org.bluez.Error.Blocked', /rfkill/],
    ['org.bluez.Error.Busy', /busy/],
    ['org.freedesktop.DBus.Error.UnknownObject', /gone/],
    ['org.bluez.Error.Failed', /refused: The text of BlueZ/],
  ];
  for (const [error, message] of cases) {
    bluez.refuse = () => error;
    await unavailable(powered(), message);
  }
  bluez.change(HCI0, { PowerState: 'off-blocked' });
  await until('the block', () => radio.state.adapter?.blocked === true);
  await unavailable(powered(), /rfkill/);
  bluez.refuse = () => 'silent';
  const lost = unavailable(powered(), /has ended/);
  await until('the call', () => bluez.calls.at(-1) === 'Powered true');
  await bluez.peer.stop();
  await lost;
  await radio.startDaemon();
  assert.deepEqual(units, ['start bluetooth.service']);
  await unavailable(radio.stopDaemon(), /does not stop/);
});

test('discovery that runs or has ended already is no error', { skip }, async () => {
  await radio.setDiscovering(HCI0, true);
  assert.equal(radio.state.adapter?.discovering, true);
  bluez.refuse = (member) => (member === 'StartDiscovery' ? 'org.bluez.Error.InProgress' : undefined);
  await radio.setDiscovering(HCI0, true);
  bluez.change(HCI0, { Discovering: false });
  bluez.refuse = () => 'org.bluez.Error.Failed';
  await radio.setDiscovering(HCI0, false);
  bluez.refuse = () => 'org.bluez.Error.NotReady';
  await unavailable(radio.setDiscovering(HCI0, true), /not ready/);
});

test('pairs, accepts a device that is paired, and cancels what has failed', { skip }, async () => {
  await radio.pair(KEYBOARD);
  assert.equal(radio.devices.get(KEYBOARD)?.paired, true);
  bluez.refuse = () => 'org.bluez.Error.AlreadyExists';
  await radio.pair(KEYBOARD);
  assert.ok(!bluez.calls.includes('CancelPairing'));
  bluez.change(KEYBOARD, { Bonded: false });
  bluez.refuse = (member) => (member === 'Pair' ? 'org.bluez.Error.AuthenticationFailed' : undefined);
  await unavailable(radio.pair(KEYBOARD), /not typed correctly/);
  assert.equal(bluez.calls.at(-1), 'CancelPairing');
  bluez.refuse = () => 'org.bluez.Error.NotConnected';
  await radio.disconnect(KEYBOARD);
  await unavailable(radio.connect(KEYBOARD), /refused/);
  bluez.refuse = () => undefined;
  await radio.remove(HCI0, KEYBOARD);
  assert.equal(radio.devices.size, 0);
});

test('registers as the default agent, and passes on what the daemon asks', { skip }, async () => {
  await radio.registerAgent();
  assert.deepEqual(bluez.calls.slice(1), [`RegisterAgent ${AGENT_PATH} DisplayOnly`, 'RequestDefaultAgent']);
  bluez.refuse = (member) => (member === 'RegisterAgent' ? 'org.bluez.Error.AlreadyExists' : undefined);
  await radio.registerAgent();
  const us = bluez.peer.calls[0]?.sender ?? '';
  const ask = (member: string, signature: string, ...args: unknown[]) =>
    bluez.peer.call(us, [AGENT_PATH, 'org.bluez.Agent1', member], signature, [KEYBOARD, ...args]);
  await ask('RequestAuthorization', 'o');
  await ask('RequestConfirmation', 'ou', 42);
  await ask('DisplayPasskey', 'ouq', 123456, 2);
  await ask('DisplayPinCode', 'os', '0815');
  await ask('AuthorizeService', 'os', '00001124-0000-1000-8000-00805F9B34FB');
  answer = { accepted: true, pin: '7' };
  assert.deepEqual(await ask('RequestPinCode', 'o'), ['7']);
  answer = { accepted: false };
  await assert.rejects(ask('RequestPasskey', 'o'), { type: 'org.bluez.Error.Rejected' });
  const of = { adapter: HCI0, device: KEYBOARD };
  assert.deepEqual(requests, [
    { ...of, kind: 'authorize' },
    { ...of, kind: 'confirm', passkey: '000042' },
    { ...of, kind: 'display', passkey: '123456' },
    { ...of, kind: 'display', passkey: '0815' },
    { ...of, kind: 'service', profile: '00001124-0000-1000-8000-00805f9b34fb' },
    { ...of, kind: 'choose_pin' },
    { ...of, kind: 'type_passkey' },
  ]);
  const other = await BusPeer.connect(address);
  const stranger = other.call(us, [AGENT_PATH, 'org.bluez.Agent1', 'RequestAuthorization'], 'o', [KEYBOARD]);
  await assert.rejects(stranger, { type: /AccessDenied/ });
  await other.stop();
});

test('an adapter of the kernel is seen, a connection is none', async () => {
  const root = await mkdtemp(join(tmpdir(), 'vitrine-bluez-'));
  const present = new BluezRadio({
    bus,
    systemd: { start: async () => {}, stop: async () => {} },
    log,
    root,
  });
  await mkdir(join(root, 'sys/class/bluetooth/hci0:11'), { recursive: true });
  assert.equal(await present.isPresent(), false);
  await mkdir(join(root, 'sys/class/bluetooth/hci3'));
  assert.equal(await present.isPresent(), true);
  await rm(root, { recursive: true });
});
