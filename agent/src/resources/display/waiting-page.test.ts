import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asset } from '../../system/assets.ts';
import { fill, hostUrls, WaitingPage } from './waiting-page.ts';

test('fills the real page, and leaves no placeholder', async () => {
  const facts = { name: 'Lobby', version: '1.2.3', addresses: ['10.55.77.1'] };
  const page = new WaitingPage(
    () => asset('page/waiting.html'),
    () => facts,
  );
  const html = await page.render(undefined);
  for (const text of ['data-state="ready"', '>Lobby<', '1.2.3', '<li>http://10.55.77.1</li>']) {
    assert.ok(html.includes(text), text);
  }
  assert.ok(!html.includes('{{'));
  facts.addresses = [];
  assert.ok((await page.render(undefined)).includes('data-state="offline"'));
  const reason = { what: 'http://a/', why: 'Connection refused' };
  const notice = await page.render({ ...reason, retrying: true });
  assert.ok(notice.includes('data-state="notice"') && notice.includes('Connection refused'));
  assert.ok(notice.includes('Trying again'));
  assert.ok(!(await page.render({ ...reason, retrying: false })).includes('Trying again'));
});

test('a template that could not be read is read again', async () => {
  let failures = 1;
  const page = new WaitingPage(
    async () => {
      if (failures-- > 0) throw new Error('EMFILE: too many open files');
      return '{{name}}';
    },
    () => ({ name: 'Lobby', version: '1', addresses: [] }),
  );
  await assert.rejects(page.render(undefined), /EMFILE/);
  assert.equal(await page.render(undefined), 'Lobby');
});

test('shows the owner’s image if there is one, each version under another address', () => {
  const facts = { name: 'Lobby', version: '1', addresses: [] };
  const image = (splash?: string): string =>
    fill('{{splash}}', { ...facts, ...(splash && { splash }) }, undefined);
  assert.equal(image(), '');
  assert.match(image('17-4'), /^<img [^>]*src="vitrine:\/\/files\/splash\?v=17-4"/);
  assert.notEqual(image('17-4'), image('17-5'));
  assert.doesNotMatch(image('"><script>'), /<script/);
});

test('escapes all values', () => {
  const evil = `<script>"'&{{name}}`;
  const facts = { name: evil, version: evil, addresses: [evil] };
  const html = fill('{{name}}{{version}}{{addresses}}{{what}}{{why}}', facts, {
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
