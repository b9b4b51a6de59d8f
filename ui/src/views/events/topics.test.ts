import assert from 'node:assert/strict';
import { test } from 'node:test';
import { topics } from '../../../../agent/src/resources/contract.ts';
import { GROUPS, payloadText, topicNames, topicsIn, topicsOf, usualTopics } from './topics.ts';

test('every topic of the device can be chosen, once', () => {
  const grouped = GROUPS.flatMap((group) => topicsOf(group));
  assert.deepEqual([...grouped].sort(), topics.map(({ name }) => name).sort());
  assert.deepEqual([...topicNames()].sort(), [...grouped].sort());
});

test('what costs the device work, or changes how a page runs, is followed only if the user wants it', () => {
  const usual = usualTopics();
  for (const name of ['page_message', 'page_console', 'input_raw', 'health', 'log'] as const) {
    assert.ok(!usual.includes(name), name);
  }
});

test('names that are no topics, as of another version, are left out', () => {
  assert.deepEqual(topicsIn(['log', 'of_tomorrow', '__proto__']), ['log']);
});

test('passwords are hidden, and nothing else', () => {
  const payload = {
    config: {
      wifi: { ap: { psk: 'long enough', ssid: 'Lobby' }, networks: [{ ssid: 'a', psk: '' }] },
      update: { hawkbit: { target_token: 'abc', gateway_token: null } },
    },
    paths: ['wifi.ap.psk'],
  };
  assert.deepEqual(JSON.parse(payloadText(payload)), {
    config: {
      wifi: { ap: { psk: '•••', ssid: 'Lobby' }, networks: [{ ssid: 'a', psk: '' }] },
      update: { hawkbit: { target_token: '•••', gateway_token: null } },
    },
    paths: ['wifi.ap.psk'],
  });
  assert.equal(payloadText(undefined), 'null');
});
