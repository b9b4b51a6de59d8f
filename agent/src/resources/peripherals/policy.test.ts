import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isReachable, judge, type Policy } from './policy.ts';
import type { Peripheral } from './ports.ts';
import {
  GADGET,
  hidPeripheral,
  ORIGIN,
  policy,
  serialPeripheral,
  usbPeripheral,
  withSecondConfiguration,
} from './tests/peripherals.ts';
import {
  BOOT_KEYBOARD,
  BOOT_MOUSE,
  FIDO,
  hex,
  KEYBOARD_AND_VENDOR,
  SCANNER,
  VENDOR,
} from './tests/report-descriptors.ts';

const hidEntry = { vendorId: 0x1209, productId: 0x0001 };
const serialEntry = { usbVendorId: 0x1209, usbProductId: 0x0001 };
const hidPolicy = (...allow: Policy['hid']['allow']) => policy({ hid: { enabled: true, allow } });
const serialPolicy = (...allow: Policy['serial']['allow']) => policy({ serial: { enabled: true, allow } });
const usbPolicy = (...allow: Policy['usb']['allow']) =>
  policy({ usb: { enabled: true, allow_driver_detach: false, allow } });
/** Allows everything with the ids of the gadget. */
const gadgetPolicy = policy({
  hid: { enabled: true, allow: [GADGET] },
  serial: { enabled: true, allow: [{ usbVendorId: 0x1d6b, usbProductId: 0x0104 }] },
  usb: { enabled: true, allow_driver_detach: true, allow: [GADGET] },
});

/** An application collection without reports. */
const application = (page: number, usage: number) => {
  const [low, high] = [page & 0xff, page >> 8];
  return Buffer.from([0x06, low, high, 0x09, usage, 0xa1, 1, 0xc0]);
};
const composite = usbPeripheral(
  [
    [[2, 2, 1]],
    [
      [0xff, 1, 2],
      [0xfe, 3, 4],
    ],
  ],
  {},
  [0xef, 2, 1],
);

/** The state that each peripheral has. */
const cases: [what: string, Policy, Peripheral, ReturnType<typeof judge>['state']][] = [
  // HID: every field of an entry, and near misses.
  ['HID by its ids', hidPolicy(hidEntry), hidPeripheral(), 'allowed'],
  ['HID, vendor one more', hidPolicy({ ...hidEntry, vendorId: 0x120a }), hidPeripheral(), 'not_allowed'],
  ['HID, product one more', hidPolicy({ ...hidEntry, productId: 0x0002 }), hidPeripheral(), 'not_allowed'],
  ['HID, ids swapped', hidPolicy({ vendorId: 1, productId: 0x1209 }), hidPeripheral(), 'not_allowed'],
  ['HID by its usage page', hidPolicy({ ...hidEntry, usagePage: 0xff00 }), hidPeripheral(), 'allowed'],
  ['HID, page one more', hidPolicy({ ...hidEntry, usagePage: 0xff01 }), hidPeripheral(), 'not_allowed'],
  [
    'HID by page and usage',
    hidPolicy({ ...hidEntry, usagePage: 0xff00, usage: 1 }),
    hidPeripheral(),
    'allowed',
  ],
  [
    'HID, usage one more',
    hidPolicy({ ...hidEntry, usagePage: 0xff00, usage: 2 }),
    hidPeripheral(),
    'not_allowed',
  ],
  ['HID, usage without its page', hidPolicy({ ...hidEntry, usage: 1 }), hidPeripheral(), 'not_allowed'],
  [
    'HID, second top-level collection',
    hidPolicy({ ...hidEntry, usagePage: 0xff00, usage: 1 }),
    hidPeripheral(KEYBOARD_AND_VENDOR),
    'allowed',
  ],
  [
    'HID, page of one collection and usage of another',
    hidPolicy({ ...hidEntry, usagePage: 0x8c, usage: 1 }),
    hidPeripheral(Buffer.concat([application(0x8c, 2), application(0xff00, 1)])),
    'not_allowed',
  ],
  [
    'HID, usage of a nested collection',
    hidPolicy({ ...hidEntry, usagePage: 0x8c, usage: 0x12 }),
    hidPeripheral(SCANNER),
    'not_allowed',
  ],
  ['HID, second entry', hidPolicy({ ...hidEntry, productId: 2 }, hidEntry), hidPeripheral(), 'allowed'],
  ['HID, no entry', hidPolicy(), hidPeripheral(), 'not_allowed'],
  ['HID not enabled', policy({ hid: { enabled: false, allow: [hidEntry] } }), hidPeripheral(), 'disabled'],
  [
    'HID not enabled, no entry',
    policy({ hid: { enabled: false, allow: [] } }),
    hidPeripheral(),
    'not_allowed',
  ],
  ['HID without origins', policy({ origins: [] }), hidPeripheral(), 'disabled'],
  ['HID that only other kinds allow', { ...policy(), hid: hidPolicy().hid }, hidPeripheral(), 'not_allowed'],
  [
    'a bar code scanner',
    hidPolicy({ ...hidEntry, usagePage: 0x8c, usage: 2 }),
    hidPeripheral(SCANNER),
    'allowed',
  ],
  [
    'HID without ids',
    hidPolicy(hidEntry),
    hidPeripheral(VENDOR, { vendorId: null, productId: null }),
    'not_allowed',
  ],

  // HID: never.
  ['a keyboard', policy(), hidPeripheral(BOOT_KEYBOARD), 'protected'],
  [
    'a keyboard, named',
    hidPolicy({ ...hidEntry, usagePage: 1, usage: 6 }),
    hidPeripheral(BOOT_KEYBOARD),
    'protected',
  ],
  ['a mouse', policy(), hidPeripheral(BOOT_MOUSE), 'protected'],
  ['a keypad', policy(), hidPeripheral(application(1, 7)), 'protected'],
  ['a system control', policy(), hidPeripheral(application(1, 0x80)), 'protected'],
  ['a joystick', policy(), hidPeripheral(application(1, 4)), 'allowed'],
  ['usage 6 of another page', policy(), hidPeripheral(application(0x0c, 6)), 'allowed'],
  ['a security key', policy(), hidPeripheral(FIDO), 'protected'],
  ['any usage of the page of security keys', policy(), hidPeripheral(application(0xf1d0, 0x33)), 'protected'],
  ['the page before that of security keys', policy(), hidPeripheral(application(0xf1cf, 1)), 'allowed'],
  [
    'a keyboard in another collection',
    policy(),
    hidPeripheral(hex('0600ff0901a10105010906a101c0c0')),
    'protected',
  ],
  ['HID without a readable descriptor', policy(), hidPeripheral(hex('')), 'protected'],
  [
    'a keyboard and a vendor without report ids',
    policy(),
    hidPeripheral(Buffer.concat([BOOT_KEYBOARD, VENDOR])),
    'protected',
  ],

  // Serial.
  ['serial by its ids', serialPolicy(serialEntry), serialPeripheral(), 'allowed'],
  [
    'serial, vendor one more',
    serialPolicy({ ...serialEntry, usbVendorId: 0x120a }),
    serialPeripheral(),
    'not_allowed',
  ],
  [
    'serial, product one more',
    serialPolicy({ ...serialEntry, usbProductId: 2 }),
    serialPeripheral(),
    'not_allowed',
  ],
  ['serial, no entry', serialPolicy(), serialPeripheral(), 'not_allowed'],
  [
    'serial not enabled',
    policy({ serial: { enabled: false, allow: [serialEntry] } }),
    serialPeripheral(),
    'disabled',
  ],
  ['serial without origins', policy({ origins: [] }), serialPeripheral(), 'disabled'],
  ['serial that only other kinds allow', serialPolicy(), serialPeripheral(), 'not_allowed'],
  ['serial without a vendor', policy(), serialPeripheral({ vendorId: null }), 'protected'],
  ['serial without a product', policy(), serialPeripheral({ productId: null }), 'protected'],
  ["the gadget's own end", policy(), serialPeripheral({ id: 'x', node: '/dev/ttyGS10' }), 'protected'],
  [
    "the gadget's own end, by its id",
    policy(),
    serialPeripheral({ id: 'ttyGS1', node: '/dev/x' }),
    'protected',
  ],
  [
    'a node that ends like it',
    policy(),
    serialPeripheral({ id: 'xttyGS0', node: '/dev/xttyGS0' }),
    'allowed',
  ],
  ['a node with a similar name', policy(), serialPeripheral({ id: 'ttyG0', node: '/dev/ttyG0' }), 'allowed'],

  // USB: every field of an entry, and near misses.
  ['USB by its ids', usbPolicy(hidEntry), usbPeripheral(), 'allowed'],
  ['USB, vendor one more', usbPolicy({ ...hidEntry, vendorId: 0x120a }), usbPeripheral(), 'not_allowed'],
  ['USB, product one more', usbPolicy({ ...hidEntry, productId: 2 }), usbPeripheral(), 'not_allowed'],
  ['USB by its serial number', usbPolicy({ ...hidEntry, serialNumber: 'A1' }), usbPeripheral(), 'allowed'],
  [
    'USB, serial number longer',
    usbPolicy({ ...hidEntry, serialNumber: 'A10' }),
    usbPeripheral(),
    'not_allowed',
  ],
  [
    'USB, serial number in lower case',
    usbPolicy({ ...hidEntry, serialNumber: 'a1' }),
    usbPeripheral(),
    'not_allowed',
  ],
  [
    'USB, no serial number',
    usbPolicy({ ...hidEntry, serialNumber: 'A1' }),
    usbPeripheral([[[0xff, 1, 2]]], { serialNumber: null }),
    'not_allowed',
  ],
  ["USB by the device's class", usbPolicy({ ...hidEntry, classCode: 0xef }), composite, 'allowed'],
  [
    "USB by the device's class, subclass and protocol",
    usbPolicy({ ...hidEntry, classCode: 0xef, subclass: 2, protocol: 1 }),
    composite,
    'allowed',
  ],
  ["USB by an interface's class", usbPolicy({ ...hidEntry, classCode: 0xff }), composite, 'allowed'],
  [
    'USB by class, subclass and protocol of an alternate setting',
    usbPolicy({ ...hidEntry, classCode: 0xfe, subclass: 3, protocol: 4 }),
    composite,
    'allowed',
  ],
  ['USB, class one less', usbPolicy({ ...hidEntry, classCode: 0xfd }), composite, 'not_allowed'],
  [
    'USB, subclass one more',
    usbPolicy({ ...hidEntry, classCode: 0xff, subclass: 2 }),
    composite,
    'not_allowed',
  ],
  [
    'USB, protocol one more',
    usbPolicy({ ...hidEntry, classCode: 0xff, subclass: 1, protocol: 3 }),
    composite,
    'not_allowed',
  ],
  [
    'USB, class of one interface and subclass of another',
    usbPolicy({ ...hidEntry, classCode: 0xff, subclass: 3 }),
    composite,
    'not_allowed',
  ],
  [
    'USB, subclass of one interface and protocol of another',
    usbPolicy({ ...hidEntry, classCode: 0xfe, subclass: 3, protocol: 2 }),
    composite,
    'not_allowed',
  ],
  ['USB, subclass without its class', usbPolicy({ ...hidEntry, subclass: 1 }), composite, 'not_allowed'],
  ['USB, protocol without its class', usbPolicy({ ...hidEntry, protocol: 2 }), composite, 'not_allowed'],
  [
    'USB, protocol without its subclass',
    usbPolicy({ ...hidEntry, classCode: 0xff, protocol: 2 }),
    composite,
    'not_allowed',
  ],
  [
    'USB by the class of another configuration',
    usbPolicy({ ...hidEntry, classCode: 7 }),
    withSecondConfiguration(7, 1, 2),
    'allowed',
  ],
  ['USB, no entry', usbPolicy(), usbPeripheral(), 'not_allowed'],
  [
    'USB not enabled',
    policy({ usb: { enabled: false, allow_driver_detach: true, allow: [hidEntry] } }),
    usbPeripheral(),
    'disabled',
  ],
  ['USB without origins', policy({ origins: [] }), usbPeripheral(), 'disabled'],

  // USB: never.
  ...[0x01, 0x03, 0x08, 0x0b, 0x0e, 0x10, 0xe0].map((code): (typeof cases)[number] => [
    `USB with only the class ${code.toString(16)}`,
    policy(),
    usbPeripheral([[[code, 1, 1]]]),
    'protected',
  ]),
  ...[0x00, 0x02, 0x07, 0x0a, 0x0d, 0x0f, 0xdc, 0xef, 0xfe].map((code): (typeof cases)[number] => [
    `USB with only the class ${code.toString(16)}`,
    policy(),
    usbPeripheral([[[code, 1, 1]]]),
    'allowed',
  ]),
  [
    'a disk with an interface of its vendor',
    policy(),
    usbPeripheral([[[8, 6, 80]], [[0xff, 0, 0]]]),
    'allowed',
  ],
  [
    'an interface with one protected setting',
    policy(),
    usbPeripheral([
      [
        [0xff, 0, 0],
        [3, 0, 0],
      ],
    ]),
    'protected',
  ],
  ['a disk and a keyboard', policy(), usbPeripheral([[[8, 6, 80]], [[3, 1, 1]]]), 'protected'],
  ['USB without interfaces', policy(), usbPeripheral([]), 'protected'],
  ['a hub', policy(), usbPeripheral([[[0xff, 0, 0]]], {}, [9, 0, 1]), 'protected'],
  ['a hub by its interface', policy(), usbPeripheral([[[9, 0, 0]], [[0xff, 0, 0]]]), 'protected'],

  // The board's own gadget, in every kind, and others that are not.
  ['the gadget as HID', gadgetPolicy, hidPeripheral(VENDOR, GADGET), 'protected'],
  ['the gadget as serial port', gadgetPolicy, serialPeripheral(GADGET), 'protected'],
  ['the gadget as USB device', gadgetPolicy, usbPeripheral([[[0xff, 1, 2]]], GADGET), 'protected'],
  ["another board's gadget", gadgetPolicy, serialPeripheral({ ...GADGET, serialNumber: 'V2' }), 'allowed'],
  ["a serial number like the gadget's", policy(), serialPeripheral({ serialNumber: 'V1' }), 'allowed'],
  [
    "a product like the gadget's",
    policy({ serial: { enabled: true, allow: [{ usbVendorId: 0x1209, usbProductId: 0x0104 }] } }),
    serialPeripheral({ ...GADGET, vendorId: 0x1209 }),
    'allowed',
  ],
  [
    "a vendor like the gadget's",
    policy({ serial: { enabled: true, allow: [{ usbVendorId: 0x1d6b, usbProductId: 1 }] } }),
    serialPeripheral({ ...GADGET, productId: 1 }),
    'allowed',
  ],
];

describe('which peripherals a page may use', () => {
  for (const [what, rules, peripheral, state] of cases) {
    test(`${what}: ${state}`, () => {
      const verdict = judge(rules, GADGET, peripheral);
      assert.equal(verdict.state, state);
      assert.equal(verdict.reason === null, state === 'allowed');
      assert.equal(verdict.rule !== null, state === 'allowed' || state === 'disabled');
      assert.equal(isReachable(rules, GADGET, ORIGIN, peripheral), state === 'allowed');
    });
  }

  const others = [
    'http://till.example',
    'https://till.example:8443',
    'https://a.till.example',
    'https://till.exampl',
    'null',
    '',
  ];
  for (const origin of others) {
    test(`nothing for the origin ${JSON.stringify(origin)}`, () => {
      for (const peripheral of [hidPeripheral(), serialPeripheral(), usbPeripheral()]) {
        assert.equal(isReachable(policy(), GADGET, origin, peripheral), false);
      }
    });
  }

  test('a gadget without a serial number, and none', () => {
    const peripheral = serialPeripheral({ ...GADGET, serialNumber: null });
    assert.equal(judge(gadgetPolicy, { ...GADGET, serialNumber: null }, peripheral).state, 'protected');
    assert.equal(judge(gadgetPolicy, GADGET, peripheral).state, 'allowed');
    assert.equal(judge(gadgetPolicy, undefined, serialPeripheral(GADGET)).state, 'allowed');
  });

  test('the rule is the first entry that matches', () => {
    const other = { ...hidEntry, productId: 2 };
    assert.equal(judge(hidPolicy(other, hidEntry, hidEntry), GADGET, hidPeripheral()).rule, 1);
  });

  test('the reason says what to set', () => {
    const off = policy({ hid: { enabled: false, allow: [hidEntry] } });
    assert.equal(judge(off, GADGET, hidPeripheral()).reason, 'devices.hid.enabled is false.');
    assert.equal(judge(policy({ origins: [] }), GADGET, usbPeripheral()).reason, 'devices.origins is empty.');
    assert.equal(
      judge(serialPolicy(), GADGET, serialPeripheral()).reason,
      'No entry of devices.serial.allow matches.',
    );
  });

  const sentences: [Peripheral, RegExp][] = [
    [serialPeripheral(GADGET), /gadget/],
    [serialPeripheral({ node: '/dev/ttyGS0' }), /gadget/],
    [serialPeripheral({ vendorId: null }), /not on USB/],
    [hidPeripheral(hex('')), /report descriptor/],
    [hidPeripheral(BOOT_KEYBOARD), /keyboard/],
    [usbPeripheral([[[9, 0, 0]]]), /hub/],
    [usbPeripheral([[[8, 6, 80]]]), /class/],
  ];
  for (const [peripheral, expected] of sentences) {
    test(`the reason for what is protected: ${expected}`, () =>
      assert.match(judge(policy(), GADGET, peripheral).reason ?? '', expected));
  }

  test('a suggested entry is the most specific one, and allows the peripheral', () => {
    const suggested = (peripheral: Peripheral) => {
      const none = policy({ hid: hidPolicy().hid, serial: serialPolicy().serial, usb: usbPolicy().usb });
      return judge(none, GADGET, peripheral).suggestion;
    };
    const vendorPart = { ...hidEntry, usagePage: 0xff00, usage: 1 };
    assert.deepEqual(suggested(hidPeripheral()), vendorPart);
    assert.deepEqual(suggested(hidPeripheral(KEYBOARD_AND_VENDOR)), vendorPart);
    assert.deepEqual(suggested(serialPeripheral()), serialEntry);
    assert.deepEqual(suggested(composite), hidEntry);
    assert.equal(judge(hidPolicy(vendorPart), GADGET, hidPeripheral(KEYBOARD_AND_VENDOR)).state, 'allowed');
    assert.equal(suggested(hidPeripheral(BOOT_KEYBOARD)), null);
    assert.equal(suggested(hidPeripheral(VENDOR, { vendorId: null })), null);
    assert.equal(suggested(hidPeripheral(VENDOR, { productId: null })), null);
    assert.equal(judge(policy(), GADGET, hidPeripheral()).suggestion, null);
    assert.equal(judge(policy({ origins: [] }), GADGET, hidPeripheral()).suggestion, null);
  });
});
