import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { UsbSetup } from './page-protocol.ts';
import { claimOf, controlRefusal, mayDetach } from './policy.ts';
import { GADGET, policy, usbPeripheral, withSecondConfiguration } from './tests/peripherals.ts';

describe('claiming an interface', () => {
  const detaching = policy({ usb: { enabled: true, allow_driver_detach: true, allow: [] } });
  const printer = (driver?: string) =>
    usbPeripheral(
      [
        [[7, 1, 2]],
        [[3, 1, 1]],
        [
          [0xff, 0, 0],
          [8, 6, 80],
        ],
      ],
      {
        drivers: new Map(driver === undefined ? [] : [[0, driver]]),
      },
    );
  const nameOf = (result: ReturnType<typeof claimOf>) =>
    'refusal' in result ? result.refusal[0] : result.detach;

  test('free, and with a driver', () => {
    assert.equal(nameOf(claimOf(policy(), GADGET, printer(), 0)), false);
    assert.equal(nameOf(claimOf(detaching, GADGET, printer(), 0)), false);
    assert.equal(nameOf(claimOf(detaching, GADGET, printer('usblp'), 0)), true);
    const refused = claimOf(policy(), GADGET, printer('usblp'), 0);
    assert.equal(nameOf(refused), 'NetworkError');
    assert.match(JSON.stringify(refused), /usblp.*devices\.usb\.allow_driver_detach/);
  });
  for (const driver of ['usbhid', 'usb-storage', 'uas', 'hub']) {
    test(`the driver ${driver} stays`, () => {
      assert.equal(mayDetach(detaching, driver), false);
      assert.equal(nameOf(claimOf(detaching, GADGET, printer(driver), 0)), 'SecurityError');
      assert.equal(nameOf(claimOf(policy(), GADGET, printer(driver), 0)), 'SecurityError');
    });
  }
  test('other drivers only if the configuration allows it', () => {
    assert.equal(mayDetach(detaching, 'usblp'), true);
    assert.equal(mayDetach(policy(), 'usblp'), false);
  });
  for (const code of [0x01, 0x03, 0x08, 0x0b, 0x0e, 0x10, 0xe0]) {
    test(`never the class ${code.toString(16)}`, () => {
      const peripheral = usbPeripheral([[[0xff, 0, 0]], [[code, 0, 0]]]);
      assert.equal(nameOf(claimOf(detaching, GADGET, peripheral, 1)), 'SecurityError');
    });
  }
  test('never an interface with a protected alternate setting', () =>
    assert.equal(nameOf(claimOf(detaching, GADGET, printer(), 2)), 'SecurityError'));
  test('never of the gadget', () =>
    assert.equal(nameOf(claimOf(detaching, GADGET, { ...printer(), ...GADGET }, 0)), 'SecurityError'));
  test('an interface that is not in the active configuration', () => {
    assert.equal(nameOf(claimOf(detaching, GADGET, printer(), 3)), 'NotFoundError');
    const twice = withSecondConfiguration(7, 1, 2);
    assert.equal(nameOf(claimOf(detaching, GADGET, { ...twice, configuration: 2 }, 0)), false);
    assert.equal(
      nameOf(claimOf(detaching, GADGET, { ...twice, configuration: 2, configurations: [] }, 0)),
      'InvalidStateError',
    );
    assert.equal(
      nameOf(claimOf(detaching, GADGET, { ...printer(), configuration: null }, 0)),
      'InvalidStateError',
    );
  });
});

describe('control transfers', () => {
  /** Interface 0 with endpoint 1, 1 with 2 (HID), 2 with 3 and, in another setting, 4. */
  const peripheral = usbPeripheral([
    [[0xff, 0, 0]],
    [[3, 1, 1]],
    [
      [0xff, 0, 0],
      [0xff, 0, 1],
    ],
  ]);
  const refusalOf = (setup: Partial<UsbSetup>, direction: 'in' | 'out' = 'out', claimed = [0]) => {
    const whole: UsbSetup = {
      requestType: 'vendor',
      recipient: 'device',
      request: 1,
      value: 0,
      index: 0,
      ...setup,
    };
    return controlRefusal(peripheral, new Set(claimed), whole, direction)?.[0];
  };

  const allowed: [string, Partial<UsbSetup>, ('in' | 'out')?][] = [
    ['vendor request to the device', {}],
    ['vendor request to the device with the index of a protected interface', { index: 1 }],
    ['vendor request to others', { recipient: 'other' }],
    ['class request to the device', { requestType: 'class', index: 0 }],
    ['class request to the device with an index that is no interface', { requestType: 'class', index: 9 }],
    ['class request to a claimed interface', { requestType: 'class', recipient: 'interface' }],
    ['vendor request to a claimed interface', { recipient: 'interface', index: 0x0500 }],
    ['vendor request to an endpoint in of a claimed interface', { recipient: 'endpoint', index: 0x81 }],
    ['vendor request to an endpoint out of a claimed interface', { recipient: 'endpoint', index: 0x01 }],
    ...[0x00, 0x06, 0x08, 0x0a, 0x0c].map((request): [string, Partial<UsbSetup>, 'in'] => [
      `standard request ${request} that reads`,
      { requestType: 'standard', request },
      'in',
    ]),
  ];
  for (const [what, setup, direction] of allowed) {
    test(`${what} passes`, () => assert.equal(refusalOf(setup, direction), undefined));
  }

  const refused: [string, Partial<UsbSetup>, string][] = [
    ['interface that is not claimed', { recipient: 'interface', index: 2 }, 'InvalidStateError'],
    ['interface that does not exist', { recipient: 'interface', index: 3 }, 'NotFoundError'],
    ['interface that is protected', { recipient: 'interface', index: 1 }, 'SecurityError'],
    [
      'interface that is protected, with a high byte',
      { recipient: 'interface', index: 0x0101 },
      'SecurityError',
    ],
    [
      'endpoint of an interface that is not claimed',
      { recipient: 'endpoint', index: 0x83 },
      'InvalidStateError',
    ],
    ['endpoint of another alternate setting', { recipient: 'endpoint', index: 0x84 }, 'InvalidStateError'],
    ['endpoint of a protected interface', { recipient: 'endpoint', index: 0x82 }, 'SecurityError'],
    ['endpoint that does not exist', { recipient: 'endpoint', index: 0x85 }, 'NotFoundError'],
    ['default control pipe', { recipient: 'endpoint', index: 0 }, 'NotFoundError'],
    [
      'class request to the device for a protected interface',
      { requestType: 'class', index: 1 },
      'SecurityError',
    ],
    [
      'class request to others for a protected interface',
      { requestType: 'class', recipient: 'other', index: 0x0201 },
      'SecurityError',
    ],
  ];
  for (const [what, setup, name] of refused) {
    test(`${what}: ${name}`, () => assert.equal(refusalOf(setup), name));
  }

  test('standard requests that change something are refused in both directions', () => {
    // CLEAR_FEATURE, SET_FEATURE, SET_ADDRESS, SET_DESCRIPTOR, SET_CONFIGURATION, SET_INTERFACE, SET_SEL.
    for (const request of [0x01, 0x03, 0x05, 0x07, 0x09, 0x0b, 0x30]) {
      for (const recipient of ['device', 'interface', 'endpoint', 'other'] as const) {
        assert.equal(refusalOf({ requestType: 'standard', request, recipient }), 'SecurityError');
        assert.equal(refusalOf({ requestType: 'standard', request, recipient }, 'in'), 'SecurityError');
      }
    }
    assert.equal(refusalOf({ requestType: 'standard', request: 6 }, 'out'), 'SecurityError');
    // The report descriptor of a keyboard.
    assert.equal(
      refusalOf({ requestType: 'standard', request: 6, recipient: 'interface', index: 1 }, 'in'),
      'SecurityError',
    );
  });

  test('an endpoint in settings of two interfaces needs both', () => {
    const [first] = peripheral.configurations;
    const [endpoints] = first?.interfaces[0]?.alternates ?? [];
    const shared = {
      ...peripheral,
      configurations: [
        {
          value: 1,
          name: null,
          interfaces: [0, 1].map((number) => ({ number, alternates: endpoints ? [endpoints] : [] })),
        },
      ],
    };
    const setup: UsbSetup = {
      requestType: 'vendor',
      recipient: 'endpoint',
      request: 1,
      value: 0,
      index: 0x81,
    };
    assert.equal(controlRefusal(shared, new Set([0]), setup, 'in')?.[0], 'InvalidStateError');
    assert.equal(controlRefusal(shared, new Set([0, 1]), setup, 'in'), undefined);
    // The other one has the endpoint in the other direction only.
    const [one, other] = shared.configurations[0]?.interfaces ?? [];
    const out = other?.alternates.map((setting) => ({
      ...setting,
      endpoints: setting.endpoints.filter(({ direction }) => direction === 'out'),
    }));
    assert.ok(one && other && out);
    const interfaces = [one, { ...other, alternates: out }];
    const split = { ...peripheral, configurations: [{ value: 1, name: null, interfaces }] };
    assert.equal(controlRefusal(split, new Set([0]), setup, 'in'), undefined);
    assert.equal(
      controlRefusal(split, new Set([0]), { ...setup, index: 0x01 }, 'in')?.[0],
      'InvalidStateError',
    );
  });

  test('a device that is not configured has no interfaces', () => {
    const bare = { ...peripheral, configuration: null };
    const setup: UsbSetup = { requestType: 'vendor', recipient: 'interface', request: 1, value: 0, index: 0 };
    assert.equal(controlRefusal(bare, new Set([0]), setup, 'in')?.[0], 'NotFoundError');
    assert.equal(controlRefusal(bare, new Set(), { ...setup, recipient: 'device' }, 'in'), undefined);
  });
});
