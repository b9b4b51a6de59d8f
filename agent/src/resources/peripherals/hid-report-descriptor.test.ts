import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { repetitions } from '../../../../testing/long-runs.ts';
import type { HidCollection, HidReportItem } from './hid-collections.ts';
import { parseReportDescriptor } from './hid-report-descriptor.ts';
import {
  BOOT_KEYBOARD,
  BOOT_MOUSE,
  FIDO,
  hex,
  KEYBOARD_AND_VENDOR,
  SCANNER,
  VENDOR,
} from './tests/report-descriptors.ts';

const FIELD: HidReportItem = {
  isAbsolute: true,
  isArray: false,
  isBufferedBytes: false,
  isConstant: false,
  isLinear: true,
  isRange: false,
  isVolatile: false,
  hasNull: false,
  hasPreferredState: true,
  wrap: false,
  reportSize: 8,
  reportCount: 1,
  unitExponent: 0,
  unitSystem: 'none',
  unitFactorLengthExponent: 0,
  unitFactorMassExponent: 0,
  unitFactorTimeExponent: 0,
  unitFactorTemperatureExponent: 0,
  unitFactorCurrentExponent: 0,
  unitFactorLuminousIntensityExponent: 0,
  logicalMinimum: 0,
  logicalMaximum: 255,
  physicalMinimum: 0,
  physicalMaximum: 0,
  strings: [],
};

/** Usages of the top-level collections, as `page/usage`, with the ids and sizes in bits of their reports. */
function summary(bytes: Uint8Array) {
  const reports = (list: HidCollection['inputReports']) =>
    list.map(({ reportId, items }) => [
      reportId,
      items.reduce((bits, { reportSize, reportCount }) => bits + reportSize * reportCount, 0),
    ]);
  return parseReportDescriptor(bytes).map((one) => ({
    usage: usageOf(one),
    children: one.children.map(usageOf),
    input: reports(one.inputReports),
    output: reports(one.outputReports),
    feature: reports(one.featureReports),
  }));
}

const usageOf = ({ usagePage, usage }: HidCollection) => `${usagePage.toString(16)}/${usage.toString(16)}`;

/** The only field of the only collection, an application of the usage FF00/01. */
function fieldOf(items: string, flags = '8102'): HidReportItem | undefined {
  const [collection] = parseReportDescriptor(
    hex(`0600ff 0901 a101 1500 26ff00 7508 9501 ${items} ${flags} c0`),
  );
  return collection?.inputReports[0]?.items[0];
}

describe('descriptors of devices', () => {
  const known: [string, Uint8Array, ReturnType<typeof summary>][] = [
    [
      'a boot keyboard',
      BOOT_KEYBOARD,
      [{ usage: '1/6', children: [], input: [[0, 64]], output: [[0, 8]], feature: [] }],
    ],
    [
      'a boot mouse',
      BOOT_MOUSE,
      [{ usage: '1/2', children: ['1/1'], input: [[0, 24]], output: [], feature: [] }],
    ],
    [
      'a device of a vendor',
      VENDOR,
      [{ usage: 'ff00/1', children: [], input: [[0, 64]], output: [[0, 64]], feature: [[0, 32]] }],
    ],
    [
      'a security key',
      FIDO,
      [{ usage: 'f1d0/1', children: [], input: [[0, 512]], output: [[0, 512]], feature: [] }],
    ],
    [
      'a bar code scanner',
      SCANNER,
      [
        {
          usage: '8c/2',
          children: ['8c/12', '8c/14'],
          input: [[2, 472]],
          output: [[4, 8]],
          feature: [],
        },
      ],
    ],
    [
      'a keyboard with a collection of its vendor',
      KEYBOARD_AND_VENDOR,
      [
        { usage: '1/6', children: [], input: [[1, 56]], output: [], feature: [] },
        { usage: 'ff00/1', children: [], input: [[2, 64]], output: [[2, 64]], feature: [[3, 32]] },
      ],
    ],
  ];
  for (const [what, bytes, expected] of known) {
    test(what, () => assert.deepEqual(summary(bytes), expected));
  }

  test('fields of a keyboard are ranges, constants and an array', () => {
    const [keyboard] = parseReportDescriptor(BOOT_KEYBOARD);
    assert.deepEqual(keyboard?.inputReports, [
      {
        reportId: 0,
        items: [
          {
            ...FIELD,
            isRange: true,
            usageMinimum: 0x7_00e0,
            usageMaximum: 0x7_00e7,
            reportSize: 1,
            reportCount: 8,
            logicalMaximum: 1,
          },
          { ...FIELD, isConstant: true, isArray: true, logicalMaximum: 1 },
          {
            ...FIELD,
            isArray: true,
            isRange: true,
            usageMinimum: 0x7_0000,
            usageMaximum: 0x7_0065,
            reportCount: 6,
            logicalMaximum: 0x65,
          },
        ],
      },
    ]);
  });

  test('a nested collection has its own fields, the one around it has all', () => {
    const [scanner] = parseReportDescriptor(SCANNER);
    const [data, trigger] = scanner?.children ?? [];
    assert.equal(data?.type, 2);
    assert.deepEqual(data?.inputReports, scanner?.inputReports);
    assert.deepEqual(data?.outputReports, []);
    assert.deepEqual(trigger?.outputReports, scanner?.outputReports);
    assert.deepEqual(data?.inputReports[0]?.items, [
      { ...FIELD, usages: [0x8c_00fb, 0x8c_00fc, 0x8c_00fd], reportCount: 3 },
      { ...FIELD, usages: [0x8c_00fe], reportCount: 56, isBufferedBytes: true },
    ]);
  });
});

describe('items', () => {
  const fields: [string, string, Partial<HidReportItem>][] = [
    [
      'usages with and without their page',
      '0905 0b07000c00',
      {
        usages: [0xff00_0005, 0x0c_0007],
      },
    ],
    ['a range of one usage', '1905 2905', { usages: [0xff00_0005] }],
    ['a range from high to low', '1906 2905', {}],
    ['a range without its end', '1906', {}],
    [
      'a range and a usage',
      '0901 1905 2906',
      {
        isRange: true,
        usageMinimum: 0xff00_0005,
        usageMaximum: 0xff00_0006,
      },
    ],
    ['a page that is set after the usage', '0905 050c', { usages: [0x0c_0005] }],
    ['a page for the second of two usages', '0905 050c 0906', { usages: [0xff00_0005, 0x0c_0006] }],
    ['negative limits', '1581 257f', { logicalMinimum: -127, logicalMaximum: 127 }],
    ['a maximum above 127 in a byte', '1500 25ff', { logicalMaximum: 255 }],
    ['a negative maximum', '1580 25ff', { logicalMinimum: -128, logicalMaximum: -1 }],
    ['a maximum of 32 bits', '27ffffffff', { logicalMaximum: -1 }],
    ['physical limits', '3681ff 467f00', { physicalMinimum: -127, physicalMaximum: 127 }],
    [
      'a unit: hundredths of a newton',
      '6711e10000 550e',
      {
        unitSystem: 'si-linear',
        unitFactorLengthExponent: 1,
        unitFactorMassExponent: 1,
        unitFactorTimeExponent: -2,
        unitExponent: -2,
      },
    ],
    [
      'all factors',
      '67f0214365',
      {
        unitSystem: 'none',
        unitFactorLengthExponent: -1,
        unitFactorMassExponent: 1,
        unitFactorTimeExponent: 2,
        unitFactorTemperatureExponent: 3,
        unitFactorCurrentExponent: 4,
        unitFactorLuminousIntensityExponent: 5,
      },
    ],
    ['a unit of the vendor', '650f', { unitSystem: 'vendor-defined' }],
    ['a reserved unit', '6505', { unitSystem: 'reserved' }],
    ['a long item, which is skipped', 'fe0312010203', {}],
    ['state that is restored', 'a4 7510 2500 b4', {}],
  ];
  for (const [what, items, expected] of fields) {
    test(what, () => assert.deepEqual(fieldOf(items), { ...FIELD, ...expected }));
  }

  test('flags', () => {
    const defaults = { ...FIELD, isArray: true };
    assert.deepEqual(fieldOf('', '80'), defaults);
    const flags: [bit: number, Partial<HidReportItem>][] = [
      [0, { isConstant: true }],
      [1, { isArray: false }],
      [2, { isAbsolute: false }],
      [3, { wrap: true }],
      [4, { isLinear: false }],
      [5, { hasPreferredState: false }],
      [6, { hasNull: true }],
      [7, { isVolatile: true }],
      [8, { isBufferedBytes: true }],
    ];
    for (const [bit, expected] of flags) {
      const item = Buffer.from([0x82, (1 << bit) & 0xff, bit >> 3]).toString('hex');
      assert.deepEqual(fieldOf('', item), { ...defaults, ...expected });
    }
  });

  test('a field without bits is left out', () => {
    assert.equal(fieldOf('9500'), undefined);
    assert.equal(fieldOf('7500'), undefined);
  });

  const collections: [string, string, string[]][] = [
    ['the first of several usages', '0501 0902 0906 a101 c0', ['1/2']],
    ['a usage with its page', '0501 0b0100d0f1 a101 c0', ['f1d0/1']],
    ['a page that is set after the usage', '0600ff 0906 0501 a101 c0', ['1/6']],
    ['a page that is set after the usage and for another', '0501 0906 0600ff 0901 a101 c0', ['1/6']],
    ['a range', '0501 1906 2907 a101 c0', ['1/6']],
    ['none', '0501 a101 c0', ['1/0']],
    ['of the item before', '0501 0906 a101 c0 a101 c0', ['1/6', '1/0']],
  ];
  for (const [what, items, expected] of collections) {
    test(`usage of a collection: ${what}`, () =>
      assert.deepEqual(parseReportDescriptor(hex(items)).map(usageOf), expected));
  }
});

describe('nothing is read of', () => {
  const whole = '0600ff 0901 a101 7508 9501 8102';
  const malformed: [string, string][] = [
    ['an empty descriptor', ''],
    ['an item that is cut off', `${whole} c0 26ff`],
    ['a long item that is cut off', `${whole} c0 fe0201ff`],
    ['a collection that is not closed', whole],
    ['an end without a collection', `${whole} c0 c0`],
    ['a restored state that was not saved', `b4 ${whole} c0`],
    ['report id 0', `8500 ${whole} c0`],
    ['report id 256', `860001 ${whole} c0`],
    ['a field of 65536 bits', `${whole} 7700000100 8102 c0`],
    ['65536 fields', `${whole} 9700000100 8102 c0`],
    ['a state that is saved 17 times', `${'a4'.repeat(17)} ${whole} c0`],
    ['33 collections in each other', 'a100'.repeat(33) + 'c0'.repeat(33)],
    ['257 collections', 'a100c0'.repeat(257)],
    ['1025 fields', `a101 7508 9501 ${'8102'.repeat(1025)} c0`],
    ['1025 fields in nested collections', `a101 a102 7508 9501 ${'8102'.repeat(513)} c0 c0`],
    ['8193 usages', `${'a100'.repeat(9)} 7508 9501 ${'0901'.repeat(911)} 8102 ${'c0'.repeat(9)}`],
    ['4097 bytes', `${whole} c0 ${'04'.repeat(4097 - 14)}`],
  ];
  for (const [what, bytes] of malformed) {
    test(what, () => assert.deepEqual(parseReportDescriptor(hex(bytes)), []));
  }

  test('what fits the bounds is read', () => {
    for (const bytes of [
      `${'a4'.repeat(16)} ${whole} c0`,
      'a100'.repeat(32) + 'c0'.repeat(32),
      'a100c0'.repeat(256),
      `85ff ${whole} c0`,
      `${whole} 77ffff0000 97ffff0000 8102 c0`,
      'a101 9500 8102 c0',
      // A main item and an item of types that are reserved.
      'a101 d0 dc c0',
      `a101 7508 9501 ${'8102'.repeat(1024)} c0`,
      `${'a100'.repeat(8)} 7508 9501 ${'0901'.repeat(1024)} 8102 ${'c0'.repeat(8)}`,
      `${whole} c0 ${'04'.repeat(4096 - 14)}`,
    ]) {
      assert.notDeepEqual(parseReportDescriptor(hex(bytes)), [], bytes.slice(0, 20));
    }
  });
});

test('whatever a device sends, the result is bounded', () => {
  const item = fc.tuple(
    fc.constantFrom(0x05, 0x09, 0x19, 0x29, 0x75, 0x85, 0x95, 0xa1),
    fc.integer({ max: 255, min: 0 }),
  );
  const part = fc.oneof(
    { weight: 4, arbitrary: item },
    fc.constantFrom([0xc0], [0x81, 2], [0x91, 2], [0xa4], [0xb4], [...VENDOR], [...KEYBOARD_AND_VENDOR]),
    fc.array(fc.integer({ min: 0, max: 255 }), { maxLength: 6 }),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 600 }), (parts) => {
      const found = parseReportDescriptor(Uint8Array.from(parts.flat()));
      assert.ok(JSON.stringify(found).length < 2 ** 20);
    }),
    { numRuns: repetitions(500, 50_000) },
  );
});

test('a changed byte of a descriptor of a device does not make it throw', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(BOOT_KEYBOARD, BOOT_MOUSE, VENDOR, SCANNER, KEYBOARD_AND_VENDOR),
      fc.nat(200),
      fc.nat(255),
      (bytes, at, value) => {
        const changed = Uint8Array.from(bytes);
        changed[at % bytes.length] = value;
        for (const one of parseReportDescriptor(changed)) {
          assert.ok(one.usage >= 0 && one.usage <= 0xffff && one.usagePage >= 0 && one.usagePage <= 0xffff);
        }
      },
    ),
    { numRuns: repetitions(1000, 100_000) },
  );
});
