import assert from 'node:assert/strict';
import { test } from 'node:test';
import { covers, cutBy, nameIn, SOON_MS, validityOf, wholeName } from './certificate-words.ts';

const NOW = Date.parse('2027-03-01T12:00:00.000Z');
const at = (ms: number) => new Date(NOW + ms).toISOString();

test('a certificate is valid, expires soon, has expired, or is not valid yet', () => {
  const between = (from: number, to: number) => validityOf({ valid_from: at(from), valid_to: at(to) }, NOW);
  assert.equal(between(-1, SOON_MS), 'valid');
  assert.equal(between(-1, SOON_MS - 1), 'soon');
  assert.equal(between(-2, -1), 'expired');
  assert.equal(between(1, 2), 'future');
  assert.equal(validityOf({ valid_from: null, valid_to: at(1) }, NOW), 'unknown');
});

test('names are read without their escapes', () => {
  assert.equal(nameIn('C=DE\nO=Shop\nCN=Lobby\\, left'), 'Lobby, left');
  assert.equal(nameIn('C=DE\nO=Shop'), 'Shop');
  assert.equal(nameIn(''), '');
  assert.equal(wholeName('C=DE\nCN=<b>Lobby</b>'), 'C=DE, CN=<b>Lobby</b>');
});

test('names of a certificate cover hosts as browsers see it', () => {
  const names = ['lobby.example', '*.screens.example', '10.55.77.1', 'FD00:0:0:0:0:0:0:1'];
  for (const host of ['Lobby.example', 'one.screens.example', '10.55.77.1', '[fd00::1]']) {
    assert.ok(covers(names, host), host);
  }
  for (const host of ['example', 'a.b.screens.example', 'screens.example', '10.55.77.2', '[fd00::2]']) {
    assert.ok(!covers(names, host), host);
  }
});

test('what a change of the certificate cuts', () => {
  const at = (protocol: string, hostname: string) => cutBy({ protocol, hostname }, 'Vitrine-0A1B2C');
  for (const host of ['10.55.77.1', '[fd00::1]', 'vitrine-0a1b2c.local', 'vitrine.local', 'localhost']) {
    assert.equal(at('http:', host), 'none', host);
    assert.equal(at('https:', host), 'https', host);
  }
  assert.equal(at('http:', 'lobby.example'), 'name');
  assert.equal(at('https:', 'lobby.example'), 'name');
});
