import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressIn } from './address.ts';

test('an address has a scheme of the web and a host', () => {
  assert.equal(addressIn('  https://a.example/x?y#z '), 'https://a.example/x?y#z');
  assert.equal(addressIn('HTTP://10.0.0.1:8080'), 'HTTP://10.0.0.1:8080');
  const wrong = [
    '',
    'a.example',
    'https://',
    'https:///a',
    'https:a.example',
    'file:///etc/passwd',
    'javascript:alert(1)',
  ];
  for (const text of [...wrong, `https://a.example/${'x'.repeat(8192)}`])
    assert.equal(addressIn(text), undefined, text);
});
