import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client } from '../../../client/client.ts';
import { Resource } from './resource.ts';

/** A link whose requests are answered by the test. */
function fakeLink() {
  const handlers = new Map<string, (payload: never, ts: string) => void>();
  const answers: PromiseWithResolvers<{ hostname: string; interfaces: [] }>[] = [];
  let open: (() => void) | undefined;
  const get = () => {
    const answer = Promise.withResolvers<{ hostname: string; interfaces: [] }>();
    answers.push(answer);
    return answer.promise;
  };
  const link = {
    client: { get } as unknown as Client,
    on: (topic: string, handler: (payload: never, ts: string) => void) => {
      handlers.set(topic, handler);
      return () => void handlers.delete(topic);
    },
    onOpen: (handler: () => void) => {
      open = handler;
      handler();
      return () => {
        open = undefined;
      };
    },
  };
  const network = new Resource(link, {
    load: (client) => client.get('/network'),
    follow: (set) => link.on('network_changed', set),
    refreshOn: ['wifi_changed'],
  });
  const state = (hostname: string) => ({ hostname, interfaces: [] as [] });
  const emit = (topic: string, payload: unknown) => handlers.get(topic)?.(payload as never, '');
  return { network, answers, handlers, state, emit, reopen: () => open?.() };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('an event that comes while the state is read is not replaced by that answer', async () => {
  const { network, answers, state, emit } = fakeLink();
  network.use();
  emit('network_changed', state('new'));
  answers[0]?.resolve(state('old'));
  await settled();
  assert.equal(network.value.value?.hostname, 'new');
});

test('a state is read again, at most three times, if an event came meanwhile, which may be the older one', async () => {
  const { network, answers, state, emit } = fakeLink();
  network.use();
  emit('network_changed', state('old'));
  answers[0]?.resolve(state('new'));
  await settled();
  answers[1]?.resolve(state('new'));
  await settled();
  assert.deepEqual([network.value.value?.hostname, answers.length], ['new', 2]);
  void network.refresh();
  for (const answer of [2, 3, 4]) {
    emit('network_changed', state('event'));
    answers[answer]?.resolve(state('answer'));
    await settled();
  }
  assert.deepEqual([network.value.value?.hostname, answers.length], ['event', 5]);
});

test('the last state stays when reading fails, with the reason, and the next reading removes it', async () => {
  const { network, answers, state, reopen } = fakeLink();
  network.use();
  answers[0]?.resolve(state('a'));
  await settled();
  reopen();
  answers[1]?.reject(new Error('no connection'));
  await settled();
  assert.deepEqual(
    [network.value.value?.hostname, String(network.error.value)],
    ['a', 'Error: no connection'],
  );
  reopen();
  answers[2]?.resolve(state('b'));
  await settled();
  assert.deepEqual([network.value.value?.hostname, network.error.value], ['b', undefined]);
});

test('of two readings the later one counts, whichever ends first', async () => {
  const { network, answers, state, emit } = fakeLink();
  network.use();
  emit('wifi_changed', {});
  answers[1]?.resolve(state('second'));
  answers[0]?.resolve(state('first'));
  await settled();
  assert.equal(network.value.value?.hostname, 'second');
});

test('several users share one subscription, which ends with the last of them', () => {
  const { network, answers, handlers } = fakeLink();
  const stops = [network.use(), network.use()];
  assert.equal(answers.length, 1);
  stops[0]?.();
  stops[0]?.();
  assert.deepEqual([...handlers.keys()], ['network_changed', 'wifi_changed']);
  stops[1]?.();
  assert.equal(handlers.size, 0);
});
