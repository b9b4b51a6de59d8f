import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  hostAccessIn,
  isSameProxy,
  missingInProxy,
  proxyIn,
  proxyPatch,
  timeServersIn,
  wordsIn,
} from './network-settings.ts';

const STORED = {
  proxy: {
    mode: 'manual',
    http: 'http://proxy.example:3128',
    https: null,
    no_proxy: ['intranet.example', '192.168.0.0/16'],
    pac_url: null,
  },
};

test('a proxy goes from the configuration to the form and back', () => {
  const proxy = proxyIn(STORED);
  assert.equal(proxy.noProxy, 'intranet.example 192.168.0.0/16');
  assert.deepEqual(proxyPatch(proxy), STORED);
  assert.ok(isSameProxy(proxy, { ...proxy, noProxy: ' intranet.example,\n192.168.0.0/16 ' }));
  assert.ok(!isSameProxy(proxy, { ...proxy, mode: 'none' }));
});

test('each mode needs its address', () => {
  const proxy = proxyIn({});
  assert.equal(missingInProxy(proxy), undefined);
  assert.equal(missingInProxy({ ...proxy, mode: 'manual', http: ' ' }), 'http');
  assert.equal(missingInProxy({ ...proxy, mode: 'manual', https: 'http://p.example/' }), undefined);
  assert.equal(missingInProxy({ ...proxy, mode: 'pac' }), 'pac');
});

test('a document that is not as expected has the defaults', () => {
  for (const odd of [undefined, null, [], { proxy: 1, browser: null, device: { ntp_servers: 'x' } }]) {
    assert.equal(proxyIn(odd).mode, 'none');
    assert.deepEqual(hostAccessIn(odd), { hostServices: false, remoteDebugging: false });
    assert.deepEqual(timeServersIn(odd), []);
  }
  assert.deepEqual(wordsIn(' a, b;a\n\nc '), ['a', 'b', 'c']);
});
