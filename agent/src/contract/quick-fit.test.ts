import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Type } from 'typebox';
import { repetitions } from '../../../ci/lib/long-runs.ts';
import { configuration } from '../resources/all.ts';
import { withDefaults } from '../resources/config/tree.ts';
import { quickFits } from './quick-fit.ts';
import { issues } from './validate.ts';

const { Config, ConfigPatch } = configuration;

describe('quickFits', () => {
  test('knows every keyword of the configuration', () => {
    assert.equal(quickFits(Config, withDefaults(Config, {})), true);
    assert.equal(quickFits(ConfigPatch, { wifi: { country: null, networks: [{ ssid: 'a' }] } }), true);
  });

  test('says no to a keyword that it does not know', () => {
    assert.equal(quickFits(Type.Integer({ multipleOf: 2 }), 4), false);
  });

  test('agrees with the real validator, whatever the value', () => {
    const leaf = fc.oneof(
      fc.jsonValue({ maxDepth: 1 }),
      fc.constantFrom<unknown>(
        ...[
          null,
          0,
          90,
          1.5,
          -1,
          101,
          50,
          true,
          '',
          'wpe',
          'DE',
          'de',
          '5',
          'HDMI-A-1',
          'https://a.example',
          '💡'.repeat(40),
        ],
        ...[
          [],
          ['https://a.example'],
          [{ ssid: 'a' }],
          [{ ssid: 'a', psk: 'x' }],
          [{ vendorId: 1, productId: 2 }],
          [1],
        ],
        '1920x1080@60',
      ),
    );
    const name = fc.oneof(
      fc.constantFrom(
        'enabled',
        'rotation',
        'forced_mode',
        'country',
        'networks',
        'origins',
        'allow',
        'ap',
        'name',
      ),
      fc.constantFrom(
        'screens',
        'HDMI-A-1',
        'psk',
        'volume',
        'mode',
        'poll',
        'interval_ms',
        'url',
        '__proto__',
        '\n',
      ),
    );
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4, depthSize: 'large' },
        leaf,
        fc.dictionary(name, tie('tree'), { maxKeys: 3, noNullPrototype: true }),
      ),
    }));
    const patch = fc.dictionary(fc.constantFrom(...Object.keys(Config.properties), 'x'), tree, {
      maxKeys: 3,
      noNullPrototype: true,
    });
    let fitting = 0;
    fc.assert(
      fc.property(fc.oneof(patch, leaf), (value) => {
        const expected = issues(ConfigPatch, value).length === 0;
        assert.equal(quickFits(ConfigPatch, value), expected);
        if (expected) fitting += 1;
      }),
      { numRuns: repetitions(500, 30_000) },
    );
    assert.ok(fitting > 50, `only ${fitting} values fitted`);
  });

  test('agrees field by field', () => {
    const values: unknown[] = [
      null,
      0,
      1,
      90,
      101,
      49,
      50,
      '',
      ' ',
      'a',
      'DE',
      'wpe',
      'auto',
      true,
      [],
      {},
      'x'.repeat(64),
    ];
    for (const [group, schema] of Object.entries(Config.properties)) {
      const fields = Type.IsObject(schema) ? Object.keys(schema.properties) : [];
      for (const field of fields) {
        for (const value of values) {
          const patch = { [group]: { [field]: value } };
          const expected = issues(ConfigPatch, patch).length === 0;
          assert.equal(quickFits(ConfigPatch, patch), expected, JSON.stringify(patch));
        }
      }
    }
  });
});
