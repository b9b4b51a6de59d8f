import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ADAPTER, FakeRadio, fakeDevice } from '../../../../testing/fake-bluetooth-radio.ts';
import { waitFor } from '../../../../testing/wait.ts';
import { createLogger } from '../../base/logger.ts';
import { Bluetooth } from './bluetooth.ts';
import { pairingNotice, showPairings } from './pairing-notice.ts';

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

test('the screen says it while a device pairs, until that ends, fails, Bluetooth is disabled or the agent stops', async (t) => {
  const radio = new FakeRadio();
  let enabled = true;
  const service = new Bluetooth({
    radio,
    settings: () => ({ enabled, alias: 'Lobby', discoverable: true }),
    isOpen: async () => true,
    emit: () => undefined,
    recovered: () => undefined,
    log: createLogger('silent'),
  });
  let notice: string | undefined;
  const end = showPairings(service, (text) => {
    notice = text;
  });
  t.after(() => service.stop());
  service.start();
  const { id, name, address: keyboard } = fakeDevice(1);
  radio.devices.set(id, fakeDevice(1));
  const ask = (kind: 'display' | 'confirm') =>
    radio.agent?.answer({ kind, adapter: ADAPTER, device: id, passkey: '012345' });
  const seen: (string | undefined)[] = [];
  radio.whilePairing = async () => {
    ask('display');
    seen.push(notice);
  };
  await waitFor(async () => service.pair(keyboard).catch(() => undefined), {
    timeoutMs: 5000,
    what: 'a pairing',
  });
  assert.deepEqual([seen, notice], [[`Type 012345 on the keyboard “${name}”, then Enter`], undefined]);
  radio.whilePairing = async () => {
    ask('display');
    seen.push(notice);
    throw new Error('refused');
  };
  await assert.rejects(service.pair(keyboard));
  assert.deepEqual([seen.length, seen[1], notice], [2, seen[0], undefined]);

  // It pairs by itself.
  radio.change(id, { paired: false, trusted: false, connected: true });
  ask('confirm');
  assert.equal(notice, `Pairing with “${name}”: 012345`);
  radio.change(id, { connected: false });
  assert.equal(notice, undefined);
  radio.change(id, { connected: true });
  ask('confirm');
  enabled = false;
  await service.apply();
  assert.equal(notice, undefined);
  enabled = true;
  await service.apply();
  ask('confirm');
  assert.notEqual(notice, undefined);
  end();
  assert.equal(notice, undefined);
  ask('confirm');
  assert.equal(notice, undefined);
});
