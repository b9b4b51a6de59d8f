/** Whatever happens to daemon, adapter and configuration, in whatever order: in the end all is as configured. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { repetitions } from '../../../../testing/long-runs.ts';
import {
  type AdapterMachineEvent,
  type AdapterMachineState,
  adapterMachine,
  INITIAL_STATE,
  isSettled,
  type Settings,
  type Step,
} from './adapter-machine.ts';
import type { AdapterState } from './ports.ts';

const adapterAt = (id: string): AdapterState => ({
  ...{ id, address: 'AA:BB:CC:DD:EE:FF', alias: 'BlueZ', powered: false, blocked: false, discovering: false },
  ...{ discoverable: false, discoverableTimeout: 180, pairable: true },
});
const SETTINGS: Settings[] = [
  { enabled: true, alias: 'a', discoverable: false },
  { enabled: true, alias: 'b', discoverable: true },
  { enabled: false, alias: 'a', discoverable: true },
];

/** A daemon with the kernel's adapters, which does what it is told when `complete` says so. */
class World {
  state: AdapterMachineState = INITIAL_STATE;
  readonly plugged = new Map<string, AdapterState>();
  isRunning = false;
  /** Objects are read some time after the daemon has started. */
  isLoaded = false;
  hasAgent = false;
  step: Step | undefined;
  looks = 0;
  hasTimer = false;
  pairing: string | undefined;

  send(event: AdapterMachineEvent): void {
    const { state, effects } = adapterMachine(this.state, event);
    this.state = state;
    for (const effect of effects) {
      if (effect.do === 'look') this.looks += 1;
      if (effect.do === 'set_timer') this.hasTimer = true;
      if (effect.do === 'cancel_timer') this.hasTimer = false;
      if (effect.do !== 'run') continue;
      assert.equal(this.step, undefined, 'one step at a time');
      this.check(effect.step);
      this.step = effect.step;
    }
    assert.equal(
      state.waiting !== undefined,
      this.hasTimer,
      'a timer runs exactly while something is waited for',
    );
  }

  /** What a step must never do. */
  check(step: Step): void {
    const { settings } = this.state;
    if (step.step === 'start_daemon') assert.ok(settings.enabled, 'the daemon runs only while enabled');
    if (step.step === 'stop_daemon') assert.ok(!settings.enabled);
    if (step.step !== 'set' || step.setting.value !== true) return;
    assert.ok(settings.enabled && this.state.isRegistered, 'opened only with the rules for pairing');
    const { name } = step.setting;
    if (name === 'discoverable') assert.ok(settings.discoverable);
    if (name === 'pairable') assert.ok(settings.discoverable || this.pairing !== undefined);
    if (name === 'powered') {
      const { discoverable, discoverableTimeout, pairable } = this.state.adapter ?? assert.fail();
      assert.ok(!discoverable || settings.discoverable, 'closed before it is switched on');
      assert.ok(!pairable || settings.discoverable || this.pairing !== undefined);
      assert.equal(discoverableTimeout, 0);
    }
  }

  report(): void {
    const [adapter, ...others] = this.isLoaded
      ? [...this.plugged.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
      : [];
    const othersPowered = others.filter(({ powered }) => powered).map(({ id }) => id);
    this.send({
      event: 'daemon',
      state: { isUp: this.isLoaded, adapter: adapter && { ...adapter }, othersPowered },
    });
  }

  configure(settings: Settings): void {
    this.send({ event: 'configured', settings });
  }

  start(): void {
    this.isRunning = true;
    this.load();
  }

  load(): void {
    this.isLoaded = this.isRunning;
    this.report();
  }

  die(): void {
    this.isRunning = false;
    this.isLoaded = false;
    this.hasAgent = false;
    for (const adapter of this.plugged.values())
      Object.assign(adapter, { pairable: true, discovering: false });
    this.report();
  }

  change(id: string, change: Partial<AdapterState>): void {
    const adapter = this.plugged.get(id);
    if (!adapter) return;
    Object.assign(adapter, change, change.powered === false ? { discovering: false } : {});
    this.report();
  }

  /** The running step ends. @param how `later`: the daemon's objects are read after the answer; `unanswered`: done, but reported as failed */
  complete(how: 'works' | 'fails' | 'later' | 'unanswered'): void {
    const { step } = this;
    this.step = undefined;
    if (!step) return;
    const failed = how === 'fails' || !this.carryOut(step, how === 'later') || how === 'unanswered';
    this.send({ event: 'done', ...(failed ? { error: 'It failed.' } : {}) });
  }

  carryOut(step: Step, isLate: boolean): boolean {
    if (step.step === 'start_daemon') {
      this.isRunning = true;
      if (!isLate) this.load();
    } else if (step.step === 'stop_daemon') this.die();
    else if (!this.isLoaded) return false;
    else if (step.step === 'register_agent') this.hasAgent = true;
    else {
      const adapter = this.plugged.get(step.adapter);
      if (!adapter || (step.step === 'discover' && !adapter.powered)) return false;
      if (step.step === 'set') {
        if (step.setting.name === 'powered' && step.setting.value && adapter.blocked) return false;
        this.change(step.adapter, { [step.setting.name]: step.setting.value });
      } else this.change(step.adapter, { discovering: step.active });
    }
    return true;
  }

  look(): void {
    if (this.looks === 0) return;
    this.looks = 0;
    this.send({ event: 'looked', hasRadio: this.plugged.size > 0 });
  }

  timer(): void {
    if (!this.hasTimer) return;
    this.hasTimer = false;
    this.send({ event: 'timer' });
  }

  /** Nothing fails any more, and there is an adapter. */
  heal(): void {
    this.pairing = undefined;
    this.send({ event: 'pairing', device: undefined });
    if (this.plugged.size === 0) this.plugged.set('hci0', adapterAt('hci0'));
    for (const id of this.plugged.keys()) this.change(id, { blocked: false });
    this.load();
    for (let count = 0; count < 100; count++) {
      if (this.step) this.complete('works');
      else if (this.looks > 0) this.look();
      else if (isSettled(this.state) && this.isRunning === this.state.settings.enabled) return;
      else this.timer();
    }
    assert.fail(`does not settle: ${JSON.stringify(this.state)}`);
  }

  verify(): void {
    const { settings, power, scanning, adapter, failure } = this.state;
    assert.equal(this.isRunning, settings.enabled);
    if (!settings.enabled) return;
    const [first, ...others] = [...this.plugged.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
    assert.equal(adapter?.id, first?.id);
    assert.equal(failure, undefined);
    assert.ok(this.hasAgent, 'the agent is registered');
    assert.deepEqual(first, {
      ...first,
      ...{ alias: settings.alias, powered: power, discoverableTimeout: 0, discovering: scanning },
      ...(power ? { discoverable: settings.discoverable, pairable: settings.discoverable } : {}),
    });
    assert.ok(
      others.every(({ powered }) => !powered),
      'other adapters are off',
    );
  }
}

let commands = 0;

class Act implements fc.Command<object, World> {
  readonly #label: string;
  readonly #act: (world: World) => void;

  constructor(label: string, act: (world: World) => void) {
    this.#label = label;
    this.#act = act;
  }

  check = () => true;
  run(_model: object, world: World): void {
    commands += 1;
    this.#act(world);
  }
  toString(): string {
    return this.#label;
  }
}

function act<T>(
  name: string,
  values: readonly T[],
  run: (world: World, value: T) => void,
): fc.Arbitrary<Act> {
  return fc
    .constantFrom(...values)
    .map((value) => new Act(`${name} ${JSON.stringify(value)}`, (world) => run(world, value)));
}

const IDS = ['hci0', 'hci1'];
const complete = act(
  'step',
  ['works', 'works', 'works', 'fails', 'later', 'unanswered'] as const,
  (world, how) => world.complete(how),
);
const look = act('looked', [1], (world) => world.look());
const ACTS = [
  ...[complete, complete, complete, complete, look, look],
  act('timer', [1], (world) => world.timer()),
  act('configure', SETTINGS, (world, settings) => world.configure(settings)),
  act('daemon', ['dies', 'starts', 'loads'], (world, what) => {
    if (what === 'dies') world.die();
    else if (what === 'starts') world.start();
    else world.load();
  }),
  act('plug', IDS, (world, id) => {
    if (!world.plugged.has(id)) world.plugged.set(id, adapterAt(id));
    world.report();
  }),
  act('unplug', IDS, (world, id) => {
    world.plugged.delete(id);
    world.report();
  }),
  act(
    'somebody sets',
    [{ powered: false }, { powered: true }, { alias: 'x' }, { pairable: true }, { discoverable: true }],
    (world, change) => world.change('hci0', change),
  ),
  act('blocked', [true, false], (world, blocked) =>
    world.change('hci0', blocked ? { blocked, powered: false } : { blocked }),
  ),
  act('power', [true, false], (world, powered) => world.send({ event: 'power', powered })),
  act('scan', [true, false], (world, active) => {
    if (world.state.adapter?.powered) world.send({ event: 'scan', active });
  }),
  act('pairing', ['hci0/dev', undefined], (world, device) => {
    world.pairing = device;
    world.send({ event: 'pairing', device });
  }),
  act('agent released', [1], (world) => {
    world.hasAgent = false;
    world.send({ event: 'agent_released' });
  }),
];

test('daemon and adapter become as configured, and are never more open than that', () => {
  const numRuns = repetitions(3000, 60_000);
  const property = fc.property(
    fc.boolean(),
    fc.commands(ACTS, { maxCommands: 60, size: 'max' }),
    (isOn, acts) => {
      const world = new World();
      if (isOn && SETTINGS[0]) {
        world.configure(SETTINGS[0]);
        world.heal();
      }
      fc.modelRun(() => ({ model: {}, real: world }), acts);
      world.heal();
      world.verify();
    },
  );
  fc.assert(property, numRuns > 3000 ? { numRuns } : { numRuns, seed: 1 });
  assert.ok(commands > 10 * numRuns, `${commands} commands`);
});

test('a refusal is reported, tried again with growing delays, and at once when its reason is gone', () => {
  const world = new World();
  world.plugged.set('hci0', { ...adapterAt('hci0'), blocked: true });
  world.configure({ enabled: true, alias: 'a', discoverable: false });
  const delays: number[] = [];
  for (let count = 0; count < 60 && delays.length < 7; count++) {
    if (world.step) {
      const { step } = world;
      const works = world.carryOut(step, false);
      world.step = undefined;
      const { state, effects } = adapterMachine(
        world.state,
        works ? { event: 'done' } : { event: 'done', error: 'Blocked.' },
      );
      if (!works) delays.push(...effects.flatMap((effect) => (effect.do === 'set_timer' ? [effect.ms] : [])));
      world.send(works ? { event: 'done' } : { event: 'done', error: 'Blocked.' });
      assert.deepEqual(world.state, state);
    } else if (world.looks > 0) world.look();
    else world.timer();
  }
  assert.deepEqual(delays, [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  assert.equal(world.state.failure, 'Blocked.');
  world.change('hci0', { blocked: false });
  assert.ok(world.step, 'without waiting for the timer');
});

test('settings that something else changes all the time are a failure, not an endless loop', () => {
  const world = new World();
  world.plugged.set('hci0', adapterAt('hci0'));
  world.configure({ enabled: true, alias: 'a', discoverable: false });
  let steps = 0;
  for (; steps < 200 && world.state.failure === undefined; steps++) {
    if (world.looks > 0) world.look();
    world.complete('works');
    world.change('hci0', { alias: 'x' });
  }
  assert.match(world.state.failure ?? '', /do not stay/);
  assert.ok(steps < 50);
});
