import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { fits } from '../../contract/validate.ts';
import { configuration } from '../all.ts';
import { isObject, leavesOf, mergePatch, splitKnown, valueAt, withDefaults, without } from './tree.ts';

/** JSON as it comes out of a parser, with keys that have meant trouble to other programs. */
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<unknown>(null, true, 0, 'a', ''),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc.dictionary(
    fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor', 'toString'),
    tie('value'),
    {
      maxKeys: 4,
      noNullPrototype: true,
    },
  ),
}));

/** No null anywhere but in lists: what a document can be that has only ever been patched. */
function withoutNulls(value: unknown): unknown {
  return mergePatch({}, value);
}

describe('mergePatch', () => {
  test("gives RFC 7396's own examples", () => {
    const examples: [unknown, unknown, unknown][] = [
      [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
      [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
      [{ a: 'b' }, { a: null }, {}],
      [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
      [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
      [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
      [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
      [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
      [
        ['a', 'b'],
        ['c', 'd'],
        ['c', 'd'],
      ],
      [{ a: 'b' }, ['c'], ['c']],
      [{ a: 'foo' }, null, null],
      [{ a: 'foo' }, 'bar', 'bar'],
      [{ e: null }, { a: 1 }, { e: null, a: 1 }],
      [[1, 2], { a: 'b', c: null }, { a: 'b' }],
      [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    ];
    for (const [target, patch, result] of examples) assert.deepEqual(mergePatch(target, patch), result);
  });

  test('an empty patch changes nothing', () => {
    fc.assert(fc.property(json.object, (target) => assert.deepEqual(mergePatch(target, {}), target)));
  });

  test('the same patch twice is the patch once', () => {
    fc.assert(
      fc.property(json.value, json.value, (target, patch) => {
        const once = mergePatch(target, patch);
        assert.deepEqual(mergePatch(once, patch), once);
      }),
    );
  });

  test('a later patch over an earlier is the later over what the earlier gave', () => {
    fc.assert(
      fc.property(json.object, json.object, json.object, (target, first, second) => {
        const inTurn = mergePatch(mergePatch(target, first), second);
        for (const key of Object.keys(isObject(second) ? second : {})) {
          const value = isObject(second) ? second[key] : undefined;
          if (isObject(value)) continue;
          const has = isObject(inTurn) && Object.hasOwn(inTurn, key);
          assert.equal(has, value !== null);
          if (has && isObject(inTurn)) assert.deepEqual(inTurn[key], value);
        }
      }),
    );
  });

  test('a document without nulls is reached from any other', () => {
    fc.assert(
      fc.property(json.object, json.object, (from, target) => {
        const to = withoutNulls(target);
        const erase = isObject(from) ? Object.fromEntries(Object.keys(from).map((key) => [key, null])) : {};
        assert.deepEqual(mergePatch(mergePatch(from, erase), to), to);
      }),
    );
  });

  test('neither operand changes, and no prototype is touched', () => {
    fc.assert(
      fc.property(json.value, json.value, (target, patch) => {
        const before = JSON.stringify([target, patch]);
        const merged = mergePatch(target, patch);
        assert.equal(JSON.stringify([target, patch]), before);
        assert.deepEqual(Object.keys(Object.prototype), []);
        if (isObject(merged)) assert.equal(Object.getPrototypeOf(merged), Object.prototype);
      }),
    );
  });
});

describe('the configuration tree', () => {
  test('defaults fill the whole document and fit it', () => {
    const defaults = withDefaults(configuration.Config, {});
    assert.ok(fits(configuration.Config, defaults));
    assert.equal(valueAt(defaults, 'nfc.i2c.address'), 0x24);
    assert.equal(valueAt(defaults, 'wifi.country'), null);
  });

  test('two documents with defaults share no list', () => {
    const first = valueAt(withDefaults(configuration.Config, {}), 'nfc.origins');
    assert.ok(Array.isArray(first));
    first.push('https://a.example');
    assert.deepEqual(valueAt(withDefaults(configuration.Config, {}), 'nfc.origins'), []);
  });

  test('an entry of a list gets the fields that it leaves out', () => {
    const config = withDefaults(configuration.Config, { wifi: { networks: [{ ssid: 'a' }] } });
    assert.deepEqual(valueAt(config, 'wifi.networks'), [{ ssid: 'a', psk: '', priority: 0 }]);
  });

  test('leaves: a list is one, a null on a group is all of its fields', () => {
    const current = withDefaults(configuration.Config, { display: { screens: { 'HDMI-A-1': {} } } });
    const patch = { nfc: { i2c: null, origins: ['https://a.example'] }, display: { screens: null }, ui: {} };
    assert.deepEqual(
      [...leavesOf(configuration.Config, patch, current)],
      [
        ['nfc.i2c.bus', 'live'],
        ['nfc.i2c.address', 'live'],
        ['nfc.origins', 'live'],
        ['display.screens.HDMI-A-1.rotation', 'live'],
        ['display.screens.HDMI-A-1.forced_mode', 'reboot_required'],
        ['display.screens.HDMI-A-1.url', 'reboot_required'],
        ['display.screens.HDMI-A-1.browser.backend', 'reboot_required'],
      ],
    );
  });

  test('what another version knows is parted from what this one does', () => {
    const { known, unknown } = splitKnown(configuration.Config, {
      ui: { enabled: false, colour: 'red' },
      sauna: {},
      wifi: { networks: [{ ssid: 'a', sae: true }] },
    });
    assert.deepEqual(known, { ui: { enabled: false }, wifi: { networks: [{ ssid: 'a' }] } });
    assert.deepEqual(unknown, ['ui.colour', 'sauna', 'wifi.networks.*.sae']);
  });

  test('taking a field away leaves the rest', () => {
    const tree = { a: { b: [{ c: 1 }], 'd/e': 2 }, f: 3 };
    assert.deepEqual(without(tree, '/a/b/0/c'), { a: { 'd/e': 2 }, f: 3 });
    assert.deepEqual(without(tree, '/a/d~1e'), { a: { b: [{ c: 1 }] }, f: 3 });
    assert.deepEqual(without(tree, '/a/missing'), { f: 3 });
  });
});
