import assert from 'node:assert/strict';
import { test } from 'node:test';
import { originOf, type RightName, rightsOf } from './rights.ts';

const PAGE = { mode: 'url', url: 'https://a.example/menu?x#y', target_url: 'https://b.example/' } as const;
const BUNDLE = { mode: 'bundle', bundle: 'menu' } as const;
const config = {
  browser: {
    permissions: [
      { origin: 'https://a.example', kind: 'camera' },
      { origin: 'https://a.example:8443', kind: 'microphone' },
      { origin: 'http://menu.localhost:8090', kind: 'geolocation' },
      { origin: 'http://other.localhost:8090', kind: 'notifications' },
    ],
    allow_host_services: true,
    ignore_tls_errors: false,
    remote_debugging: false,
  },
};
const on = (shown: Parameters<typeof rightsOf>[1], tree: unknown = config): RightName[] =>
  rightsOf(tree, shown).flatMap(({ name, isOn }) => (isOn ? [name] : []));

test('permissions belong to the origin of the page on the screen', () => {
  assert.equal(originOf(PAGE), 'https://a.example');
  assert.deepEqual(on(PAGE), ['camera', 'allow_host_services']);
  assert.deepEqual(on({ ...PAGE, url: 'https://a.example:8443/' }), ['microphone', 'allow_host_services']);
  assert.deepEqual(on(BUNDLE), ['geolocation', 'allow_host_services']);
});

test('the waiting page has none, and a configuration of another version breaks nothing', () => {
  assert.deepEqual(on({ mode: 'waiting' }), ['allow_host_services']);
  for (const tree of [null, {}, { browser: { permissions: [null, 'x', {}] } }]) {
    assert.deepEqual(on(PAGE, tree), []);
  }
});
