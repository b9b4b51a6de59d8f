import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ABSENT, Ledger } from './ledger.ts';

function ledgerWith(values: Record<string, string>): Ledger {
  const ledger = new Ledger();
  for (const [key, value] of Object.entries(values)) {
    ledger.request(key, value);
    ledger.confirm(key);
  }
  return ledger;
}

test('the device must have exactly the confirmed values', () => {
  const found = (values: Record<string, string>) => new Map(Object.entries(values));
  assert.deepEqual(ledgerWith({ a: '1', b: '2' }).compare(found({ a: '1', b: '2' })), []);
  assert.match(
    String(ledgerWith({ a: '1', b: '2' }).compare(found({ a: '1' }))),
    /^b is \(absent\); confirmed was 2$/,
  );
  assert.match(String(ledgerWith({ a: '1' }).compare(found({ a: '9' }))), /^a is 9; confirmed was 1$/);
  assert.match(
    String(ledgerWith({ a: '1' }).compare(found({ a: '1', c: '3' }))),
    /^c is 3; confirmed was \(absent\)$/,
  );
  assert.match(String(ledgerWith({ a: ABSENT }).compare(found({ a: '1' }))), /^a is 1/);
});

test('an unconfirmed request may have taken effect or not, but no other value is permitted', () => {
  const asking = (): Ledger => {
    const ledger = ledgerWith({ a: '1' });
    ledger.request('a', '2');
    ledger.request('new', '3');
    return ledger;
  };
  for (const a of ['1', '2']) {
    assert.deepEqual(asking().compare(new Map([['a', a]])), []);
    assert.deepEqual(
      asking().compare(
        new Map([
          ['a', a],
          ['new', '3'],
        ]),
      ),
      [],
    );
  }
  assert.equal(asking().compare(new Map([['a', '3']])).length, 1);
  assert.equal(
    asking().compare(
      new Map([
        ['a', '1'],
        ['new', '2'],
      ]),
    ).length,
    1,
  );
  assert.equal(asking().compare(new Map()).length, 1);
});

test('the values that were found are the expected ones from then on', () => {
  const ledger = ledgerWith({ a: '1' });
  ledger.request('a', '2');
  ledger.compare(new Map([['a', '2']]));
  assert.equal(ledger.get('a'), '2');
  assert.deepEqual(ledger.present(''), ['a']);
  assert.equal(ledger.compare(new Map([['a', '1']])).length, 1);
  ledger.request('a', ABSENT);
  assert.throws(() => ledger.request('a', '5'), /two requests/);
  ledger.confirm('a');
  assert.deepEqual(ledger.present(''), []);
  assert.throws(() => ledger.confirm('a'), /no request/);
});
