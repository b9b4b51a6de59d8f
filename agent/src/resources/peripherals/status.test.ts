import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ADAPTER, PRINTER, SCANNER } from '../../../../testing/peripheral-samples.ts';
import { validator } from '../../validation/validator.ts';
import type { Policy } from './policy.ts';
import { Peripherals } from './schema.ts';
import { describe, problemsOf, type Situation } from './status.ts';

const ORIGIN = 'https://kiosk.example';
const POLICY: Policy = {
  origins: [ORIGIN],
  hid: { enabled: true, allow: [{ vendorId: 0x0c2e, productId: 0x0b61 }] },
  serial: { enabled: false, allow: [{ usbVendorId: 0x0403, usbProductId: 0x6001 }] },
  usb: { enabled: true, allow_driver_detach: false, allow: [] },
};
const SITUATION: Situation = {
  policy: POLICY,
  gadget: undefined,
  peripherals: [SCANNER, ADAPTER, PRINTER],
  opened: new Map([['hidraw0', ORIGIN]]),
  pageOrigin: ORIGIN,
  hostPort: true,
};

test('each peripheral has its description, its verdict and the page that has it open', () => {
  const described = describe(SITUATION);
  assert.deepEqual(validator(Peripherals).issues(described), []);
  const { host_port, page_origin, peripherals } = described;
  assert.deepEqual([host_port, page_origin], [true, ORIGIN]);
  const [scanner, adapter, printer] = peripherals;
  assert.deepEqual(scanner, {
    ...{ id: 'hidraw0', kind: 'hid', usb_device: '1-1.2', vendor_id: 0x0c2e, product_id: 0x0b61 },
    ...{ manufacturer: 'Honeywell', product: 'Voyager 1450g', serial_number: '18071B24F3' },
    usages: [{ usage_page: 0x8c, usage: 2 }],
    ...{ state: 'allowed', reason: null, rule: 0, suggestion: null, origins: [ORIGIN], open_by: ORIGIN },
  });
  assert.deepEqual(
    [adapter?.state, adapter?.rule, adapter?.origins, adapter?.open_by, adapter?.usages, adapter?.class],
    ['disabled', 0, [], null, undefined, undefined],
  );
  assert.equal(typeof adapter?.reason, 'string');
  assert.deepEqual([printer?.state, printer?.rule, printer?.origins], ['not_allowed', null, []]);
  assert.ok(printer?.suggestion && 'vendorId' in printer.suggestion);
  assert.equal(printer.suggestion.vendorId, 0x04b8);
});

test('the interfaces of a USB device are those of its active configuration, by their first alternate', () => {
  const of = (change: object) =>
    describe({ ...SITUATION, peripherals: [{ ...PRINTER, ...change }] }).peripherals[0];
  const codes = { class_code: 7, subclass: 1, protocol: 2 };
  assert.deepEqual(of({})?.interfaces, [{ number: 0, ...codes, driver: 'usblp' }]);
  assert.deepEqual(of({ drivers: new Map() })?.interfaces, [{ number: 0, ...codes, driver: null }]);
  assert.deepEqual(of({ configuration: null })?.interfaces, []);
  assert.deepEqual(of({})?.class, { class_code: 0, subclass: 0, protocol: 0 });
});

test('on a board without a host port the list is as found, and health says that the policy has no effect', () => {
  const { host_port, peripherals } = describe({ ...SITUATION, hostPort: false, peripherals: [SCANNER] });
  assert.deepEqual([host_port, peripherals.map(({ id }) => id)], [false, ['hidraw0']]);
  assert.deepEqual([peripherals[0]?.state, peripherals[0]?.origins], ['disabled', []]);
  assert.equal(problemsOf(POLICY, false).length, 1);
  assert.deepEqual(problemsOf(POLICY, true), []);
  const off = { enabled: false, allow: [] };
  const isOff: Policy = { ...POLICY, hid: off, serial: off, usb: { ...POLICY.usb, enabled: false } };
  assert.deepEqual(problemsOf(isOff, false), []);
  assert.equal(problemsOf({ ...isOff, serial: { ...off, enabled: true } }, false).length, 1);
});
