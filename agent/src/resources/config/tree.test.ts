import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { validator } from '../../validation/validator.ts';
import { contract } from './tests/small-contract.ts';
import {
  isObject,
  type JsonObject,
  keysMissingIn,
  leavesOf,
  mergePatch,
  valueAt,
  withDefaults,
  without,
} from './tree.ts';

const { Config, ConfigPatch } = contract;

/** JSON as a parser returns it, with keys that are special in JavaScript. */
const json = fc.letrec<{ value: unknown; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<unknown>(null, true, 0, 'a', ''),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc.dictionary(
    fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor', 'toString'),
    tie('value'),
    { maxKeys: 4, noNullPrototype: true },
  ),
}));

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
    // As a field: a patch of the configuration is an object.
    for (const [target, patch, result] of examples) {
      const merged = mergePatch({ field: target }, { field: patch });
      assert.deepEqual(merged, result === null ? {} : { field: result });
    }
  });

  test('an empty patch changes nothing', () => {
    fc.assert(fc.property(json.object, (target) => assert.deepEqual(mergePatch(target, {}), target)));
  });

  test('the same patch twice has the effect of one', () => {
    fc.assert(
      fc.property(json.value, json.object, (target, patch) => {
        const once = mergePatch(target, patch);
        assert.deepEqual(mergePatch(once, patch), once);
      }),
    );
  });

  test('a later patch overrides an earlier one', () => {
    fc.assert(
      fc.property(json.object, json.object, json.object, (target, first, second) => {
        const inTurn = mergePatch(mergePatch(target, first), second);
        for (const [key, value] of Object.entries(second)) {
          if (isObject(value)) continue;
          assert.equal(Object.hasOwn(inTurn, key), value !== null);
          if (value !== null) assert.deepEqual(inTurn[key], value);
        }
      }),
    );
  });

  test('any document without nulls can be reached from any other', () => {
    fc.assert(
      fc.property(json.object, json.object, (from, target) => {
        const to = mergePatch({}, target);
        const erase = Object.fromEntries(Object.keys(from).map((key) => [key, null]));
        assert.deepEqual(mergePatch(mergePatch(from, erase), to), to);
      }),
    );
  });

  test('neither operand changes, and no prototype is touched', () => {
    fc.assert(
      fc.property(json.value, json.object, (target, patch) => {
        const before = JSON.stringify([target, patch]);
        const merged = mergePatch(target, patch);
        assert.equal(JSON.stringify([target, patch]), before);
        assert.deepEqual(Object.keys(Object.prototype), []);
        assert.equal(Object.getPrototypeOf(merged), Object.prototype);
      }),
    );
  });
});

describe('the configuration tree', () => {
  test('defaults fill the whole document and fit it', () => {
    const defaults = withDefaults(Config, {});
    assert.ok(validator(Config).fits(defaults));
    assert.equal(valueAt(defaults, 'sound.tone.mode'), 'a');
    assert.equal(valueAt(defaults, 'light.color'), null);
    assert.equal(valueAt(defaults, 'light.hue'), undefined);
  });

  test('two documents with defaults share no list', () => {
    const first = valueAt(withDefaults(Config, {}), 'light.scenes');
    assert.ok(Array.isArray(first));
    first.push(1);
    assert.deepEqual(valueAt(withDefaults(Config, {}), 'light.scenes'), []);
  });

  test('items of lists and entries of maps get the fields that they leave out', () => {
    const lamps = { ['__proto__']: {}, hall: { level: 1 } };
    const config = withDefaults(Config, { light: { scenes: [{ name: 'a' }], lamps } });
    assert.deepEqual(valueAt(config, 'light.scenes'), [{ name: 'a', level: 5 }]);
    assert.deepEqual(Object.entries(Object(valueAt(config, 'light.lamps'))), [
      ['__proto__', { level: null, name: 'lamp' }],
      ['hall', { level: 1, name: 'lamp' }],
    ]);
  });

  test('values of a wrong type stay, so that the schema reports them', () => {
    const wrong = { sound: 1, light: { lamps: { hall: [] }, scenes: [2, null], color: {} } };
    const found = validator(Config)
      .issues(withDefaults(Config, wrong))
      .map(({ path }) => path);
    assert.deepEqual(
      new Set(found),
      new Set(['/sound', '/light/lamps/hall', '/light/scenes/0', '/light/scenes/1', '/light/color']),
    );
  });

  test('leaves: a list is one, a null for a group is all of its fields', () => {
    const current = withDefaults(Config, { light: { lamps: { hall: {} } } });
    const patch = { sound: { tone: null, volume: 1 }, light: { lamps: null, scenes: [{ name: 'a' }] } };
    assert.deepEqual(
      [...leavesOf(Config, patch, current)],
      [
        ['sound.tone.bass', 'live'],
        ['sound.tone.mode', 'reboot_required'],
        ['sound.volume', 'live'],
        ['light.lamps.hall.level', 'live'],
        ['light.lamps.hall.name', 'reboot_required'],
        ['light.scenes', 'live'],
      ],
    );
    assert.deepEqual(
      [...leavesOf(Config, { light: { lamps: { hall: null }, color: null }, sound: {} }, current)].map(
        ([path]) => path,
      ),
      ['light.lamps.hall.level', 'light.lamps.hall.name', 'light.color'],
    );
  });

  test('keys of prototypes are no fields', () => {
    assert.equal(valueAt({}, 'constructor'), undefined);
    assert.deepEqual([...leavesOf(Config, { constructor: { name: 1 } }, {})], []);
  });

  test('keys that another version knows are left out and listed', () => {
    const document = {
      light: { on: true, hue: 'red', scenes: [{ name: 'a', sky: 1 }], lamps: { hall: { age: 1 } } },
      sauna: {},
    };
    const config = withDefaults(Config, document);
    assert.ok(validator(Config).fits(config));
    assert.deepEqual(keysMissingIn(config, document), [
      'light.hue',
      'light.scenes.0.sky',
      'light.lamps.hall.age',
      'sauna',
    ]);
  });

  test('without a field the rest stays', () => {
    const tree = { a: { b: [{ c: 1 }], 'd/e': 2, '~': 3 }, f: 3 };
    assert.deepEqual(without(tree, '/a/b/0/c'), { a: { 'd/e': 2, '~': 3 }, f: 3 });
    assert.deepEqual(without(tree, '/a/d~1e'), { a: { b: [{ c: 1 }], '~': 3 }, f: 3 });
    assert.deepEqual(without(tree, '/a/~0'), { a: { b: [{ c: 1 }], 'd/e': 2 }, f: 3 });
    assert.deepEqual(without(tree, '/a/missing'), { f: 3 });
    assert.deepEqual(without(tree, '/missing'), {});
  });
});

describe('the schema of a patch', () => {
  const accepted = [
    {},
    { schema: 1, sound: null, light: { on: null, color: null } },
    {
      sound: { tone: { bass: null } },
      light: { lamps: { hall: null, 'a long name of a lamp': { level: 1 } } },
    },
    { light: { lamps: null, scenes: [{ name: 'a' }, { name: 'b', level: 2, note: 'c' }] } },
  ];
  for (const patch of accepted) {
    test(`accepts ${JSON.stringify(patch)}`, () =>
      assert.deepEqual(validator(ConfigPatch).issues(patch), []));
  }

  const refused: [unknown, string][] = [
    [null, ''],
    [[], ''],
    [{ schema: 2 }, '/schema'],
    [{ sauna: {} }, '/sauna'],
    [{ sound: { volume: 101 } }, '/sound/volume'],
    [{ sound: { tone: { bass: '1' } } }, '/sound/tone/bass'],
    [{ sound: [] }, '/sound'],
    [{ light: { hue: 1 } }, '/light/hue'],
    [{ light: { color: '' } }, '/light/color'],
    [{ light: { lamps: { hall: { age: 1 } } } }, '/light/lamps/hall/age'],
    [{ light: { scenes: [{}] } }, '/light/scenes/0/name'],
    [{ light: { scenes: [{ name: 'a', sky: 1 }] } }, '/light/scenes/0/sky'],
    [{ light: { scenes: [{ name: 'a' }, { name: 'a' }, { name: 'a' }, { name: 'a' }] } }, '/light/scenes'],
    [{ light: { scenes: [null] } }, '/light/scenes/0'],
  ];
  for (const [patch, path] of refused) {
    test(`refuses ${JSON.stringify(patch)}`, () => {
      assert.deepEqual(
        validator(ConfigPatch)
          .issues(patch)
          .map((issue) => issue.path),
        [path],
      );
    });
  }
});
