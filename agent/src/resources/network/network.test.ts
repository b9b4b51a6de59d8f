import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { createLogger } from '../../base/logger.ts';
import { EventBus } from '../../events/bus.ts';
import { createApp } from '../../links/app.ts';
import { serve } from '../route.ts';
import { Network } from './network.ts';
import { getNetwork, type Network as State } from './schema.ts';

const state = (...addresses: string[]): State => ({
  hostname: 'h',
  interfaces: [{ name: 'usb0', addresses }],
});

function setUp() {
  let now = state('10.55.77.1');
  let touch: () => void = () => undefined;
  let watching = 0;
  let isFailing = false;
  const bus = new EventBus();
  const network = new Network({
    bus,
    source: {
      read: () => {
        if (isFailing) throw new Error('EMFILE');
        return now;
      },
      watch: (changed) => {
        touch = changed;
        watching++;
        return () => {
          watching--;
        };
      },
    },
  });
  const events: unknown[] = [];
  bus.listen('network_changed', ({ payload }) => events.push(payload));
  const change = (next: State) => {
    now = next;
    touch();
  };
  const fail = (is: boolean) => {
    isFailing = is;
  };
  return { network, events, change, fail, watching: () => watching };
}

test('GET /network returns the current state', async () => {
  const { network, change } = setUp();
  const app = createApp({
    endpoints: [getNetwork],
    routes: [serve(getNetwork, () => network.get())],
    log: createLogger('silent'),
  });
  change(state('10.0.2.15', 'fe80::1'));
  const answer = await app.inject('/api/v1/network');
  assert.deepEqual(answer.json(), state('10.0.2.15', 'fe80::1'));
  assert.deepEqual(network.addresses(), ['10.0.2.15', 'fe80::1']);
  await app.close();
});

test('a burst of changes is one event, and an unchanged state none', (t) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => mock.timers.reset());
  const { network, events, change, watching } = setUp();
  network.start();
  mock.timers.tick(200);
  assert.deepEqual(events, []);
  change(state());
  mock.timers.tick(50);
  change(state('10.0.0.1'));
  mock.timers.tick(50);
  change(state('10.0.0.2'));
  mock.timers.tick(100);
  assert.deepEqual(events, [state('10.0.0.2')]);
  change(state('10.0.0.2'));
  mock.timers.tick(1000);
  assert.equal(events.length, 1);
  network.stop();
  assert.equal(watching(), 0);
});

test('reports changes from before the start', (t) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => mock.timers.reset());
  const { network, events, change } = setUp();
  change(state('10.1.1.1'));
  network.start();
  mock.timers.tick(100);
  assert.deepEqual(events, [state('10.1.1.1')]);
  network.stop();
});

test('a change is found later, if the system cannot be read when it happens', (t) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => mock.timers.reset());
  const { network, events, change, fail } = setUp();
  network.start();
  fail(true);
  change(state('10.0.2.15'));
  for (let n = 0; n < 5; n += 1) mock.timers.tick(1000);
  fail(false);
  for (let n = 0; n < 2; n += 1) mock.timers.tick(1000);
  assert.deepEqual(events, [state('10.0.2.15')]);
  network.stop();
});
