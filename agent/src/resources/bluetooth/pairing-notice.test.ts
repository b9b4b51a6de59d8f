import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pairingNotice } from './pairing-notice.ts';

const address = 'AA:BB:CC:DD:EE:FF';
const typed = (name: string | null) => pairingNotice({ address, name, passkey: '012345' }, true);

test('the notice says what to type where, or what the device shows', () => {
  assert.equal(typed('K380'), 'Type 012345 on the keyboard “K380”, then Enter');
  assert.equal(typed(null), `Type 012345 on the keyboard “${address}”, then Enter`);
  assert.equal(
    pairingNotice({ address, name: 'Phone', passkey: '012345' }, false),
    'Pairing with “Phone”: 012345',
  );
  assert.equal(pairingNotice({ address, name: 'K380', passkey: null }, false), undefined);
  assert.equal(pairingNotice(null, false), undefined);
});

test('the name of a stranger cannot change the text around it', () => {
  assert.equal(
    typed('a”, then\nB\u202e\u0000\u2028c'),
    'Type 012345 on the keyboard “a , then B c”, then Enter',
  );
  assert.equal(typed('\u200b \ud800'), `Type 012345 on the keyboard “${address}”, then Enter`);
  assert.equal(typed('😀'.repeat(300)), `Type 012345 on the keyboard “${'😀'.repeat(39)}…”, then Enter`);
});
