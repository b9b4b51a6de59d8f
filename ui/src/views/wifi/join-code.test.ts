import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joinText as deviceText } from '../../../../agent/src/resources/display/waiting-page.ts';
import { codePicture, joinText } from './join-code.ts';

test('the text is that of the waiting page, also with what has to be escaped', () => {
  assert.equal(joinText('a;b', 'c:"\\,'), 'WIFI:T:WPA;S:a\\;b;P:c\\:\\"\\\\\\,;;');
  for (const [ssid, psk] of [
    ['Lobby', 'passphrase'],
    ['Café \\ "1"; a,b:c', 'pass;phrase:"\\,'],
  ] as const) {
    assert.equal(joinText(ssid, psk), deviceText(ssid, psk));
  }
});

test('a code is a square of modules with a light edge', () => {
  const { viewBox, path } = codePicture(joinText('Café', 'passphrase'));
  const [from, , side] = viewBox.split(' ').map(Number);
  assert.equal(from, -4);
  const modules = [...path.matchAll(/M(\d+) (\d+)h1v1h-1z/g)].map(([, x, y]) => `${x} ${y}`);
  // The corner of a finder pattern is dark, and the ring inside of it is light.
  assert.ok(modules.includes('0 0') && modules.includes('6 6') && !modules.includes('1 1'));
  const last = (side ?? 0) - 8 - 1;
  assert.ok(modules.includes(`${last} 0`) && modules.includes(`0 ${last}`));
  assert.ok(modules.every((one) => one.split(' ').every((part) => Number(part) <= last)));
  assert.notEqual(codePicture(joinText('Cafe', 'passphrase')).path, path);
});
