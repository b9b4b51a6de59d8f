import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutSecrets } from './secrets.ts';

test('passphrases, tokens and credentials in addresses are removed, everything else stays', () => {
  const config = {
    wifi: { ap: { ssid: 'Lobby', psk: 'correct horse' }, networks: [{ ssid: 'a', psk: 'b' }, { psk: '' }] },
    update: {
      hawkbit: { target_token: 'secret', gateway_token: null, url: 'https://u:p@a.example/x?y=1@2' },
    },
    display: { rotation: 90, boot: 'http://a.example/@home' },
    flags: [true, null, 3],
  };
  assert.deepEqual(withoutSecrets(config), {
    wifi: {
      ap: { ssid: 'Lobby', psk: '(removed)' },
      networks: [{ ssid: 'a', psk: '(removed)' }, { psk: '' }],
    },
    update: {
      hawkbit: { target_token: '(removed)', gateway_token: null, url: 'https://(removed)@a.example/x?y=1@2' },
    },
    display: { rotation: 90, boot: 'http://a.example/@home' },
    flags: [true, null, 3],
  });
});
