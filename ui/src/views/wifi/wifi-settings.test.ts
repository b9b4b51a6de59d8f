import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  byPriority,
  isPassphrase,
  ssidProblem,
  suggestedPassphrase,
  wifiSettingsIn,
  withNetwork,
  withNetworkAsBefore,
  withoutSecrets,
  withPreferred,
} from './wifi-settings.ts';

const SHOP = { ssid: 'shop', psk: 'passphrase', priority: 3 };
const GUESTS = { ssid: 'guests', psk: '', priority: 7 };

test('settings are read, and what is missing has its default', () => {
  const wifi = { enabled: true, mode: 'ap', country: 'DE', networks: [SHOP, { ssid: 'new' }, 1] };
  const ap = { ssid: null, psk: 'secret12', band: '5', channel: 36 };
  assert.deepEqual(wifiSettingsIn({ wifi: { ...wifi, ap } }), {
    ...{ enabled: true, mode: 'ap', country: 'DE' },
    networks: [SHOP, { ssid: 'new', psk: '', priority: 0 }],
    ap: { ssid: null, psk: 'secret12', band: '5' },
  });
  assert.deepEqual(wifiSettingsIn(undefined), {
    ...{ enabled: false, mode: 'station', country: null, networks: [] },
    ap: { ssid: null, psk: null, band: '2.4' },
  });
});

test('a network is added once, and goes back to what it was', () => {
  const added = withNetwork([SHOP], { ssid: 'new', psk: '' });
  assert.deepEqual(added, [SHOP, { ssid: 'new', psk: '', priority: 0 }]);
  const changed = withNetwork(added, { ssid: 'shop', psk: 'another one' });
  assert.deepEqual(changed[0], { ...SHOP, psk: 'another one' });
  assert.deepEqual(withNetworkAsBefore(changed, [SHOP], 'shop')[0], SHOP);
  assert.deepEqual(withNetworkAsBefore(changed, [SHOP], 'new'), [changed[0]]);
});

test('a sample has all networks and no passphrase', () => {
  const sample = withoutSecrets([SHOP, GUESTS], 'new');
  assert.deepEqual(
    sample.map(({ ssid, psk }) => [ssid, psk]),
    [
      ['shop', 'PASSPHRASE'],
      ['guests', ''],
      ['new', 'PASSPHRASE'],
    ],
  );
});

test('the preferred network is in front, and the order of the others stays', () => {
  const three = [SHOP, GUESTS, { ssid: 'old', psk: '', priority: -1000 }];
  assert.deepEqual(
    byPriority(withPreferred(three, 'old')).map(({ ssid }) => ssid),
    ['old', 'guests', 'shop'],
  );
  assert.deepEqual(
    withPreferred(three, 'shop').map(({ priority }) => priority),
    [2, 1, 0],
  );
});

test('names have 32 bytes at most, passphrases 8 to 63 printable characters', () => {
  assert.deepEqual(['', 'a'.repeat(32), 'ä'.repeat(17)].map(ssidProblem), ['empty', undefined, 'long']);
  const texts = ['1234567', '12345678', 'x'.repeat(63), 'x'.repeat(64), 'pässphrase'];
  assert.deepEqual(texts.map(isPassphrase), [false, true, true, false, false]);
  const suggested = suggestedPassphrase();
  assert.match(suggested, /^[a-z2-9]{16}$/);
  assert.notEqual(suggested, suggestedPassphrase());
});
