import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { repetitions } from '../../../../testing/long-runs.ts';
import { alternate, configuration, device } from './tests/usb-descriptors.ts';
import { parseUsbDescriptors } from './usb-descriptors.ts';

const DEVICE = device([0x1209, 0x0002], [0xef, 2, 1]);
const ASSOCIATION = [8, 0x0b, 0, 2, 2, 2, 1, 0];
const CLASS_SPECIFIC = [5, 0x24, 0, 0x10, 0x01];

const parse = (...parts: number[][]) => parseUsbDescriptors(Uint8Array.from(parts.flat()));

test('a serial port with a vendor’s interface, in two configurations', () => {
  const described = parse(
    DEVICE,
    configuration(
      1,
      ASSOCIATION,
      alternate([0, 0], [2, 2, 1]),
      CLASS_SPECIFIC,
      [7, 5, 0x82, 3, 16, 0, 9],
      alternate([1, 0], [10, 0, 0], [0x81, 2, 512], [0x01, 2, 512]),
      alternate([2, 0], [0xff, 1, 2]),
      // Three transactions of 1024 bytes in a microframe, at high speed.
      alternate([2, 1], [0xff, 1, 2], [0x83, 5, 0x1400], [0x04, 0, 64]),
    ),
    configuration(2, alternate([0, 0], [3, 1, 1], [0x81, 3, 8])),
  );
  const bulk = { type: 'bulk', packetSize: 512 } as const;
  assert.deepEqual(described, {
    usbVersion: 0x0210,
    deviceVersion: 0x0123,
    vendorId: 0x1209,
    productId: 0x0002,
    classCode: 0xef,
    subclass: 2,
    protocol: 1,
    configurations: [
      {
        value: 1,
        name: null,
        interfaces: [
          {
            number: 0,
            alternates: [
              {
                setting: 0,
                classCode: 2,
                subclass: 2,
                protocol: 1,
                name: null,
                endpoints: [{ number: 2, direction: 'in', type: 'interrupt', packetSize: 16 }],
              },
            ],
          },
          {
            number: 1,
            alternates: [
              {
                setting: 0,
                classCode: 10,
                subclass: 0,
                protocol: 0,
                name: null,
                endpoints: [
                  { number: 1, direction: 'in', ...bulk },
                  { number: 1, direction: 'out', ...bulk },
                ],
              },
            ],
          },
          {
            number: 2,
            alternates: [
              { setting: 0, classCode: 0xff, subclass: 1, protocol: 2, name: null, endpoints: [] },
              {
                setting: 1,
                classCode: 0xff,
                subclass: 1,
                protocol: 2,
                name: null,
                endpoints: [
                  { number: 3, direction: 'in', type: 'isochronous', packetSize: 1024 },
                  { number: 4, direction: 'out', type: 'control', packetSize: 64 },
                ],
              },
            ],
          },
        ],
      },
      {
        value: 2,
        name: null,
        interfaces: [
          {
            number: 0,
            alternates: [
              {
                setting: 0,
                classCode: 3,
                subclass: 1,
                protocol: 1,
                name: null,
                endpoints: [{ number: 1, direction: 'in', type: 'interrupt', packetSize: 8 }],
              },
            ],
          },
        ],
      },
    ],
  });
});

/** Numbers of the interfaces in the first configuration, each with its alternate settings and their endpoints. */
const shape = (...parts: number[][]) =>
  parse(DEVICE, ...parts)?.configurations[0]?.interfaces.map(({ number, alternates }) => [
    number,
    ...alternates.map(({ setting, endpoints }) => [setting, ...endpoints.map((one) => one.number)]),
  ]);

test('skips what the kernel skips', () => {
  const one = alternate([1, 0], [0xff, 0, 0], [0x81, 2, 64]);
  const whole = [[1, [0, 1]]];
  assert.deepEqual(shape(configuration(1, one)), whole);
  // An endpoint without an interface, the default control pipe, a second setting of the same number.
  assert.deepEqual(shape(configuration(1, [7, 5, 0x82, 2, 64, 0, 0], one)), whole);
  assert.deepEqual(shape(configuration(1, one, [7, 5, 0x80, 2, 64, 0, 0])), whole);
  assert.deepEqual(shape(configuration(1, one, alternate([1, 0], [3, 0, 0], [0x82, 2, 64]))), whole);
  // An interface and an endpoint that are too short, and the endpoint of that interface.
  assert.deepEqual(shape(configuration(1, one, [8, 4, 2, 0, 1, 3, 0, 0], [7, 5, 0x82, 2, 64, 0, 0])), whole);
  assert.deepEqual(shape(configuration(1, one, [6, 5, 0x82, 2, 64, 0])), whole);
  // What follows a length of 0 or 1, and what ends too early.
  assert.deepEqual(shape(configuration(1, one, [0], alternate([2, 0], [3, 0, 0]))), whole);
  assert.deepEqual(shape(configuration(1, one, [1], alternate([2, 0], [3, 0, 0]))), whole);
  assert.deepEqual(shape(configuration(1, one, alternate([2, 0], [3, 0, 0])).slice(0, -1)), whole);
});

test('a total length that is wrong does not hide the next configuration, or never ends', () => {
  const wrong = (length: number) => [9, 2, length, 0, 1, 1, 0, 0x80, 250];
  const values = (...parts: number[][]) => parse(DEVICE, ...parts)?.configurations.map(({ value }) => value);
  assert.deepEqual(values(wrong(0), configuration(2)), [1, 2]);
  assert.deepEqual(values(wrong(200), configuration(2)), [1]);
});

test('the kernel’s limits', () => {
  const many = <T>(count: number, make: (index: number) => T) =>
    Array.from({ length: count }, (_, at) => make(at));
  assert.equal(parse(DEVICE, ...many(9, configuration))?.configurations.length, 8);
  const interfaces = many(33, (number) => alternate([number, 0], [0xff, 0, 0]));
  assert.equal(shape(configuration(1, ...interfaces))?.length, 32);
  const alternates = many(129, (setting) => alternate([0, setting], [0xff, 0, 0]));
  assert.equal(shape(configuration(1, ...alternates))?.[0]?.length, 1 + 128);
  const endpoints = many(31, (): [number, number, number] => [0x81, 2, 64]);
  const [, setting] = shape(configuration(1, alternate([0, 0], [0xff, 0, 0], ...endpoints)))?.[0] ?? [];
  assert.ok(Array.isArray(setting));
  assert.equal(setting.length, 1 + 30);
});

test('nothing is read of what does not begin with a device, or is too long', () => {
  assert.equal(parse([]), undefined);
  assert.equal(parse(DEVICE.slice(0, -1)), undefined);
  assert.equal(parse([17, ...DEVICE.slice(1)]), undefined);
  assert.equal(parse([18, 2, ...DEVICE.slice(2)]), undefined);
  assert.deepEqual(parse(DEVICE)?.configurations, []);
  assert.ok(parse(DEVICE, new Array(16 * 1024 - 18).fill(0)));
  assert.equal(parse(DEVICE, new Array(16 * 1024 - 17).fill(0)), undefined);
});

test('whatever a device sends, the result is bounded', () => {
  const byte = fc.integer({ min: 0, max: 255 });
  const part = fc.oneof(
    fc.array(byte, { maxLength: 9 }),
    fc.tuple(
      fc.constant(9),
      fc.constantFrom(2, 4),
      byte,
      fc.constantFrom(0, 1),
      byte,
      byte,
      byte,
      byte,
      byte,
    ),
    fc.tuple(fc.constant(7), fc.constant(5), byte, byte, byte, byte, byte),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 300 }), (parts) => {
      const found = parse(DEVICE, ...parts);
      assert.ok(JSON.stringify(found).length < 2 ** 18);
      for (const { interfaces } of found?.configurations ?? []) {
        for (const { alternates } of interfaces) {
          for (const one of alternates.flatMap(({ endpoints }) => endpoints)) {
            assert.ok(one.number >= 1 && one.number <= 15 && one.packetSize <= 0x7ff);
          }
        }
      }
      parseUsbDescriptors(Uint8Array.from(parts.flat()));
    }),
    { numRuns: repetitions(500, 50_000) },
  );
});
