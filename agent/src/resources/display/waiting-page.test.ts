import assert from 'node:assert/strict';
import { test } from 'node:test';
import qrcode from 'qrcode-generator';
import { asset } from '../../system/assets.ts';
import type { Notice } from './target.ts';
import { hostUrls, waitingPage } from './waiting-page.ts';

test('fills the real page, and leaves no placeholder', async () => {
  const facts = { name: 'Lobby', version: '1.2.3', addresses: ['10.55.77.1'] };
  const template = String(await asset('page/waiting.html'));
  const render = (notice?: Notice) => waitingPage(template, facts, notice);
  const html = render();
  for (const text of ['data-state="ready"', '>Lobby<', '1.2.3', '<li>http://10.55.77.1</li>']) {
    assert.ok(html.includes(text), text);
  }
  assert.ok(!html.includes('{{'));
  facts.addresses = [];
  assert.ok(render().includes('data-state="offline"'));
  const reason = { what: 'http://a/', why: 'Connection refused' };
  const notice = render({ ...reason, retrying: true });
  assert.ok(notice.includes('data-state="notice"') && notice.includes('Connection refused'));
  assert.ok(notice.includes('Trying again'));
  assert.ok(!render({ ...reason, retrying: false }).includes('Trying again'));
});

test('shows the owner’s image if there is one, each version under another address', () => {
  const facts = { name: 'Lobby', version: '1', addresses: [] };
  const image = (splash?: string): string =>
    waitingPage('{{splash}}', { ...facts, ...(splash && { splash }) }, undefined);
  assert.equal(image(), '');
  assert.match(image('17-4'), /^<img [^>]*src="vitrine:\/\/files\/splash\?v=17-4"/);
  assert.notEqual(image('17-4'), image('17-5'));
  assert.doesNotMatch(image('"><script>'), /<script/);
});

test('escapes all values', () => {
  const evil = `<script>"'&{{name}}`;
  const facts = { name: evil, version: evil, addresses: [evil] };
  const html = waitingPage('{{name}}{{version}}{{addresses}}{{what}}{{why}}', facts, {
    what: evil,
    why: evil,
    retrying: true,
  });
  assert.ok(!/<(?!\/?li>)|["']/.test(html), html);
});

test('lists addresses that a person can type, IPv4 first', () => {
  assert.deepEqual(
    hostUrls(['fe80::1', 'fec0::2', '2001:db8::7', '169.254.3.4', '10.55.77.1', '192.168.1.23']),
    ['http://10.55.77.1', 'http://192.168.1.23', 'http://[2001:db8::7]'],
  );
});

test('the QR code has the bytes of UTF-8, as phones read it', () => {
  const facts = { name: 'Lobby', version: '1.2.3', addresses: [] };
  const accessPoint = { ssid: 'Café Köln €', psk: 'passphrase' };
  const html = waitingPage('{{join}}', { ...facts, accessPoint }, undefined);
  const code = qrcode(0, 'M');
  code.addData(String.fromCharCode(...Buffer.from('WIFI:T:WPA;S:Café Köln €;P:passphrase;;')));
  code.make();
  const side = Array.from({ length: code.getModuleCount() }, (_, index) => index);
  const dark = side.flatMap((y) => side.filter((x) => code.isDark(y, x)).map((x) => `M${x} ${y}h1v1h-1z`));
  assert.ok(html.includes(`d="${dark.join('')}"`));
});
