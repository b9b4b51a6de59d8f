/** Whatever happens to page, browser and unit, in whatever order: the last target is on the screen in the end. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { repetitions } from '../../../../testing/long-runs.ts';
import { type LocatedTarget, OWN_URI } from './target.ts';
import { KeeperWorld } from './tests/keeper-world.ts';
import { OUTCOMES, RESISTANCES } from './tests/simulated-browser.ts';

const MENU = { mode: 'bundle', name: 'menu', url: 'http://menu.localhost:8081/' } as const;
const TARGETS: readonly LocatedTarget[] = [
  { mode: 'url', url: 'http://a.example/' },
  { mode: 'url', url: 'http://b.example/' },
  MENU,
  { mode: 'waiting' },
];
const ADDRESSES = ['http://a.example/', 'http://b.example/', MENU.url];
const PAGES = [...ADDRESSES, 'http://menu.localhost:8081/two.html', 'http://c.example/'];

let commands = 0;

class Act implements fc.Command<object, KeeperWorld> {
  readonly #label: string;
  readonly #act: (world: KeeperWorld) => void;

  constructor(label: string, act: (world: KeeperWorld) => void) {
    this.#label = label;
    this.#act = act;
  }

  check(): boolean {
    return true;
  }

  run(_model: object, world: KeeperWorld): void {
    commands += 1;
    this.#act(world);
  }

  toString(): string {
    return this.#label;
  }
}

/** A command with one parameter. */
function act<T>(
  name: string,
  values: readonly T[],
  run: (world: KeeperWorld, value: T) => void,
): fc.Arbitrary<Act> {
  return fc
    .constantFrom(...values)
    .map((value) => new Act(`${name} ${JSON.stringify(value)}`, (world) => run(world, value)));
}

const wait = act('wait', [0, 5, 10, 12, 20, 30, 100, 1000, 2000, 5000, 20_000, 70_000], ({ clock }, ms) =>
  clock.advance(ms),
);
const request = act('show', TARGETS, (world, target) => world.send({ event: 'show_target', target }));

const ACTS = [
  wait,
  wait,
  wait,
  request,
  request,
  act('request', ['reload', 'restart', 'restart compositor'], (world, what) => {
    if (what === 'reload') world.send({ event: 'reload' });
    else world.send({ event: 'restart_browser', stage: what === 'restart' ? 'browser' : 'compositor' });
  }),
  act('new version of the bundle', [1], (world) => {
    const { target } = world.state;
    if (target.mode === 'bundle') world.send({ event: 'show_target', target });
    else world.send({ event: 'bundle_arrived', name: 'menu' });
  }),
  act('facts change', [1], (world) => {
    world.facts += 1;
    world.send({ event: 'own_page_changed' });
  }),
  act('render', ['fails', 'slow', 'works'], (world, how) => {
    world.rendersFail = how === 'fails';
    world.renderMs = how === 'slow' ? 1000 : 5;
  }),
  fc
    .tuple(fc.constantFrom(...PAGES), fc.constantFrom(...OUTCOMES))
    .map(([uri, how]) => new Act(`${uri} ${how}`, ({ browser }) => browser.outcomes.set(uri, how))),
  act('page navigates', PAGES, ({ browser }, uri) => browser.navigate(uri)),
  act('page gone', ['crashed', 'memory'] as const, ({ browser }, reason) => browser.endPage(reason)),
  act('page hangs', [true], ({ browser }, hangs) => {
    browser.pageHangs = hangs;
  }),
  act('processes of pages start in', [0, 10_000, 40_000], ({ browser }, ms) => {
    browser.pageStartMs = ms;
  }),
  act('screen freezes', ['page', 'compositor'] as const, ({ browser }, why) => {
    browser.frozen = why;
  }),
  act('page resists', RESISTANCES, ({ browser }, how) => {
    browser.resistance = how;
  }),
  act('browser ends', [1], ({ browser }) => browser.end()),
  act('browser reconnects', [1], ({ browser }) => browser.reconnect()),
  act('browser hangs', [true, false], ({ browser }, hangs) => {
    browser.hangs = hangs;
  }),
  act('quit is ignored', [true, false], ({ browser }, ignores) => {
    browser.ignoresQuit = ignores;
  }),
  act('unit', ['works', 'fails', 'ignores'] as const, ({ browser }, how) => {
    browser.unit = how;
  }),
  act('unit starts the browser again', [true, false], ({ browser }, starts) => {
    browser.startsAgain = starts;
  }),
  act('agent restarts', ['as it was', 'without the bundle'], (world, how) => {
    const missing = { name: 'menu', code: 'bundle_missing', message: 'There is no bundle menu.' } as const;
    if (how === 'as it was') world.startAgent(world.state.target);
    else world.startAgent({ mode: 'waiting' }, missing);
  }),
];

test('the last request wins, loading ends, and nothing is loaded or said without a reason', (t) => {
  const numRuns = repetitions(4000, 100_000);
  let sequences = 0;
  const property = fc.property(fc.commands(ACTS, { maxCommands: 60, size: 'max' }), (acts) => {
    sequences += 1;
    const world = new KeeperWorld();
    fc.modelRun(() => ({ model: {}, real: world }), acts);
    world.heal();
  });
  // The same sequences in every usual run, others in every long one.
  fc.assert(property, numRuns > 4000 ? { numRuns } : { numRuns, seed: 1 });
  t.diagnostic(`${sequences} sequences, ${commands} commands`);
  assert.ok(commands > numRuns);
});

test('a notice is loaded again after a load that was given up has replaced it', () => {
  const world = new KeeperWorld();
  const { browser, clock } = world;
  browser.outcomes.set(MENU.url, 'network');
  world.send({ event: 'show_target', target: MENU });
  clock.advance(3000);
  browser.unit = 'fails';
  world.send({ event: 'show_target', target: MENU });
  browser.resistance = 'navigate';
  world.send({ event: 'restart_browser', stage: 'compositor' });
  clock.advance(5000);
  assert.equal(browser.document?.uri, OWN_URI);
  world.heal();
});

test('a notice that the page on the screen replaced is loaded after the next failure', () => {
  const world = new KeeperWorld();
  const { browser, clock } = world;
  const target = { mode: 'url', url: 'http://a.example/' } as const;
  browser.outcomes.set(target.url, 'tls');
  clock.advance(20_000);
  world.send({ event: 'show_target', target });
  clock.advance(30);
  browser.resistance = 'navigate';
  clock.advance(1000);
  assert.equal(browser.document?.uri, 'http://elsewhere.example/');
  clock.advance(2000);
  assert.equal(browser.document?.uri, OWN_URI);
  world.heal();
});

test('the waiting page is up to date when loads of it replace each other', () => {
  const world = new KeeperWorld();
  const { browser, clock } = world;
  clock.advance(5000);
  browser.resistance = 'stop';
  world.send({ event: 'show_target', target: { mode: 'waiting' } });
  world.facts += 1;
  world.send({ event: 'own_page_changed' });
  clock.advance(12);
  world.send({ event: 'reload' });
  clock.advance(100);
  world.heal();
});
