/** Whatever happens on the radio, in whatever order: requests are answered, and what is configured is reached in the end. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { repetitions } from '../../../../testing/long-runs.ts';
import type { Link, Setup } from './ports.ts';
import { type Choice, type Settings, setupOf } from './setup.ts';
import {
  failureOf,
  initialState,
  isEstablished,
  type TimerName,
  type WifiEffect,
  type WifiEvent,
  wifiMachine,
} from './wifi-machine.ts';

const NETWORKS = ['home', 'shop'].map((ssid, priority) => ({ ssid, psk: 'passphrase', priority }));
const SETTINGS: Settings = {
  ...{ enabled: true, mode: 'station', country: 'DE', networks: NETWORKS, deviceName: 'Lobby' },
  ap: { ssid: null, psk: 'passphrase', band: '2.4', channel: 6 },
};

/** A radio and its surroundings, and the machine that drives it. */
class World {
  state = initialState({ ...SETTINGS, enabled: false });
  settings: Settings = { ...SETTINGS, enabled: false };
  /** What a network does with this device. */
  readonly air: Record<string, 'away' | 'joins' | 'wrong' | 'no address'> = { home: 'joins', shop: 'away' };
  accessPointWorks = true;
  radioWorks = true;
  isBlocked = false;
  readonly #armed = new Set<TimerName>();
  readonly #open = new Set<number>();
  #runs = false;
  #setup: Setup | undefined;
  #joined: string | undefined;
  #requests = 0;
  /** Failures of requests, in their order. */
  readonly answers: (string | undefined)[] = [];

  send(event: WifiEvent): void {
    const { state, effects } = wifiMachine(this.state, event);
    this.state = state;
    for (const effect of effects) this.#perform(effect);
    assert.ok(!isEstablished(state) || failureOf(state) === undefined, 'a failure of what is established');
  }

  configure(change: Partial<Settings>): void {
    this.settings = { ...this.settings, ...change };
    if ('enabled' in change || 'mode' in change) this.#stopped = false;
    this.send({ type: 'settings', settings: this.settings });
  }

  /** What a host has wished last by a choice that is not a request: it must not be dropped by the machine alone. */
  #stopped = false;

  stopAccessPoint(): void {
    const isConfigured = this.settings.mode === 'ap';
    this.#stopped = isConfigured && this.settings.enabled;
    this.send({ type: 'choose', choice: isConfigured ? { mode: 'station', only: undefined } : undefined });
  }

  choose(choice: Choice | undefined): void {
    this.#stopped = false;
    this.#requests += 1;
    this.#open.add(this.#requests);
    this.send({ type: 'choose', id: this.#requests, choice });
  }

  abandon(): void {
    this.send({ type: 'abandon', id: this.#requests });
  }

  /** The radio does what it can, and reports it. */
  step(): void {
    if (this.#runs && this.state.service === 'starting') {
      this.#setup = undefined;
      this.send(this.radioWorks ? { type: 'ready' } : { type: 'start_failed' });
    }
    const setup = this.#setup;
    if (!setup || this.state.service !== 'ready') return;
    if (this.isBlocked) {
      this.#link({ phase: 'blocked' });
      return;
    }
    if (setup.mode === 'ap') {
      if (this.accessPointWorks) this.#link({ phase: 'serving', frequencyMhz: 2437 });
      else if (this.state.link.phase !== 'serving')
        this.send({ type: 'failed', code: 'channel_not_allowed' });
      return;
    }
    const candidates = setup.networks.filter(({ ssid }) => setup.only === undefined || ssid === setup.only);
    const best = candidates
      .filter(({ ssid }) => this.air[ssid] !== 'away')
      .sort((a, b) => b.priority - a.priority)[0];
    if (!best) {
      this.#link({ phase: 'searching' });
      this.send({ type: 'searched', inRange: false });
    } else if (this.air[best.ssid] === 'wrong') {
      this.#link({ phase: 'joining' });
      this.send({ type: 'failed', code: 'wrong_passphrase' });
    } else {
      this.#link({ phase: 'joined', ssid: best.ssid, bssid: 'b', frequencyMhz: 2412, signalDbm: -40 });
      this.#readAddress();
    }
  }

  lose(): void {
    this.#setup = undefined;
    this.send({ type: 'lost' });
  }

  fire(timer: TimerName): void {
    if (this.#armed.delete(timer)) this.send({ type: 'elapsed', timer });
  }

  /** Lets everything happen that still can. */
  settle(): void {
    for (let round = 0; round < 12; round += 1) {
      for (const timer of ['settle', 'retry', 'address', 'outcome', 'give_up'] as const) {
        this.step();
        this.fire(timer);
      }
    }
  }

  check(): void {
    const target = setupOf(this.state.settings, this.state.choice);
    if (this.#stopped) assert.notEqual(target?.mode, 'ap', 'a stopped access point came back by itself');
    assert.equal(this.state.service === 'stopped', target === undefined);
    assert.equal(this.#runs, target !== undefined, 'the service runs only while it is wanted');
    assert.deepEqual([...this.#open], [], 'a request has no answer');
    if (!target || !this.radioWorks || this.isBlocked) return;
    assert.deepEqual(this.#setup, target);
    if (target.mode === 'ap') {
      assert.ok(isEstablished(this.state) || !this.accessPointWorks);
      return;
    }
    const inRange = target.networks.filter(({ ssid }) => this.air[ssid] !== 'away');
    if (!inRange.every(({ ssid }) => this.air[ssid] === 'joins')) return;
    assert.equal(isEstablished(this.state), inRange.length > 0);
    if (inRange.length === 0) assert.equal(failureOf(this.state), 'not_found');
  }

  #link(link: Link): void {
    this.#joined = link.phase === 'joined' ? link.ssid : undefined;
    this.send({ type: 'link', link });
  }

  #readAddress(): void {
    const has = this.#joined !== undefined && this.air[this.#joined] === 'joins';
    this.send({ type: 'address', has });
  }

  #perform(effect: WifiEffect): void {
    switch (effect.do) {
      case 'start':
        assert.ok(!this.#runs || this.state.service === 'starting');
        this.#runs = true;
        return;
      case 'stop':
        this.#runs = false;
        this.#setup = undefined;
        this.#joined = undefined;
        return;
      case 'set_up':
        assert.equal(this.state.service, 'ready', 'a setup for a radio that is not ready');
        this.#setup = effect.setup;
        return;
      case 'read_address':
        this.#readAddress();
        return;
      case 'answer':
        assert.ok(this.#open.delete(effect.id), 'a request is answered twice');
        this.answers.push(effect.failure);
        return;
      case 'arm':
        this.#armed.add(effect.timer);
        return;
      case 'disarm':
        this.#armed.delete(effect.timer);
    }
  }
}

const ACTS: Readonly<Record<string, (world: World) => void>> = {
  on: (world) => world.configure({ enabled: true }),
  off: (world) => world.configure({ enabled: false }),
  'mode ap': (world) => world.configure({ mode: 'ap' }),
  'mode station': (world) => world.configure({ mode: 'station' }),
  'one network': (world) => world.configure({ networks: NETWORKS.slice(0, 1) }),
  'two networks': (world) => world.configure({ networks: NETWORKS }),
  'connect home': (world) => world.choose({ mode: 'station', only: 'home' }),
  'connect shop': (world) => world.choose({ mode: 'station', only: 'shop' }),
  'start ap': (world) => world.choose({ mode: 'ap', ap: { channel: 11 } }),
  'stop ap': (world) => world.stopAccessPoint(),
  abandon: (world) => world.abandon(),
  'stop fails': (world) => world.send({ type: 'stop_failed' }),
  lost: (world) => world.lose(),
  step: (world) => world.step(),
  'setup fails': (world) => {
    if (world.state.given) world.send({ type: 'setup_failed', code: 'radio_failed' });
  },
  ...Object.fromEntries(
    (['address', 'settle', 'outcome', 'give_up', 'retry'] as const).map((timer) => [
      timer,
      (world: World) => world.fire(timer),
    ]),
  ),
  ...Object.fromEntries(
    ['home', 'shop'].flatMap((ssid) =>
      (['away', 'joins', 'wrong', 'no address'] as const).map((how) => [
        `${ssid} ${how}`,
        (world: World) => {
          world.air[ssid] = how;
        },
      ]),
    ),
  ),
  'ap fails': (world) => {
    world.accessPointWorks = false;
  },
  'ap works': (world) => {
    world.accessPointWorks = true;
  },
  blocked: (world) => {
    world.isBlocked = true;
  },
  unblocked: (world) => {
    world.isBlocked = false;
  },
  'radio fails': (world) => {
    world.radioWorks = false;
  },
  'radio works': (world) => {
    world.radioWorks = true;
  },
};

test('in whatever order, requests are answered, and the configured state is reached', () => {
  const act = fc.constantFrom(...Object.keys(ACTS), ...Array.from({ length: 10 }, () => 'step'));
  fc.assert(
    fc.property(fc.array(act, { maxLength: 40 }), (names) => {
      const world = new World();
      world.configure({ enabled: true });
      for (const name of names) ACTS[name]?.(world);
      world.settle();
      world.check();
    }),
    { numRuns: repetitions(2000, 200_000) },
  );
});

/** A world in which `home` is joined. */
function joined(): World {
  const world = new World();
  world.configure({ enabled: true });
  world.settle();
  assert.equal(isEstablished(world.state), true);
  return world;
}

for (const [how, failure] of [
  ['wrong', 'wrong_passphrase'],
  ['away', 'not_found'],
  ['no address', 'no_address'],
] as const) {
  test(`a request for a network that is ${how} fails with ${failure}, and the configured one is joined again`, () => {
    const world = joined();
    world.air.shop = how;
    world.choose({ mode: 'station', only: 'shop' });
    for (let n = 0; n < 3 && world.answers.length === 0; n += 1) world.step();
    world.fire('settle');
    world.fire('address');
    assert.deepEqual(world.answers, [failure]);
    assert.equal(failureOf(world.state), failure, 'the reason stays to be seen');
    // `shop` has the higher priority, and is there.
    world.air.shop = 'away';
    world.settle();
    assert.equal(isEstablished(world.state), true);
  });
}

test('a chosen network that is lost is given up for the configured ones', () => {
  const world = joined();
  world.air.shop = 'joins';
  world.choose({ mode: 'station', only: 'home' });
  world.settle();
  assert.deepEqual([world.answers, world.state.link.phase], [[undefined], 'joined']);
  world.air.home = 'away';
  world.step();
  assert.deepEqual(world.state.link, { phase: 'searching' });
  world.settle();
  assert.equal(world.state.choice, undefined);
  assert.equal(world.state.lastSsid, 'shop');
  assert.ok(isEstablished(world.state));
});

const joinedLink = (ssid: string): WifiEvent => ({
  type: 'link',
  link: { phase: 'joined', ssid, bssid: 'b', frequencyMhz: 1, signalDbm: -1 },
});

test('neither the address nor the link of the network before counts for the next one', () => {
  const world = joined();
  world.air.shop = 'no address';
  world.choose({ mode: 'station', only: 'shop' });
  world.send(joinedLink('home'));
  assert.deepEqual([isEstablished(world.state), world.answers], [false, []]);
  world.send(joinedLink('shop'));
  // The kernel still has the old address, and another interface changes.
  world.send({ type: 'address', has: true });
  assert.deepEqual([isEstablished(world.state), world.answers], [false, []]);
  world.air.shop = 'joins';
  world.step();
  world.fire('settle');
  assert.deepEqual([isEstablished(world.state), world.answers], [true, [undefined]]);
});

for (const [what, air, act] of [
  ['no network in range', 'away', () => undefined],
  ['a wrong passphrase', 'wrong', () => undefined],
  [
    'a network that is lost',
    'joins',
    (world: World) => {
      world.air.home = 'away';
      world.step();
    },
  ],
] as const) {
  test(`an access point that a host has stopped does not come back by itself: ${what}`, () => {
    const world = new World();
    world.configure({ enabled: true, mode: 'ap' });
    world.settle();
    world.air.home = air;
    world.stopAccessPoint();
    world.step();
    act(world);
    world.settle();
    assert.deepEqual(world.state.choice, { mode: 'station', only: undefined });
    assert.equal(world.state.given?.mode, 'station');
  });
}

test('a request ends with its network, and with its caller, and then the configured network is joined', () => {
  for (const end of [
    (world: World) => world.configure({ networks: NETWORKS.slice(0, 1) }),
    (world: World) => world.abandon(),
  ]) {
    const world = joined();
    world.choose({ mode: 'station', only: 'shop' });
    end(world);
    assert.deepEqual(world.answers, ['replaced']);
    world.settle();
    assert.deepEqual([world.answers, isEstablished(world.state)], [['replaced'], true]);
  }
});

test('one refusal is not the end of a request: another access point may take the device', () => {
  const world = joined();
  world.choose({ mode: 'station', only: 'shop' });
  world.send({ type: 'failed', code: 'refused' });
  assert.deepEqual(world.answers, []);
  world.send({ type: 'failed', code: 'refused' });
  assert.deepEqual(world.answers, ['refused']);
});

test('a service that does not stop is stopped again', () => {
  const world = joined();
  world.configure({ enabled: false });
  world.send({ type: 'stop_failed' });
  const { effects } = wifiMachine(world.state, { type: 'elapsed', timer: 'retry' });
  assert.deepEqual(effects, [{ do: 'stop' }]);
});

test('an access point that cannot start is tried again with growing delays; stations are counted', () => {
  const world = new World();
  world.accessPointWorks = false;
  world.configure({ enabled: true, mode: 'ap' });
  world.settle();
  assert.equal(failureOf(world.state), 'channel_not_allowed');
  assert.ok(world.state.failedSetups > 1);
  world.accessPointWorks = true;
  world.settle();
  world.send({ type: 'stations', count: 2 });
  assert.deepEqual(
    [isEstablished(world.state), world.state.stations, world.state.failedSetups],
    [true, 2, 0],
  );
});
