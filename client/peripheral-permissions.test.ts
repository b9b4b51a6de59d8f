import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergePatch, withDefaults } from '../agent/src/resources/config/tree.ts';
import { configuration } from '../agent/src/resources/contract.ts';
import { describe } from '../agent/src/resources/peripherals/status.ts';
import { validator } from '../agent/src/validation/validator.ts';
import { ADAPTER, PRINTER, SCANNER } from '../testing/peripheral-samples.ts';
import { entryOf, type Peripheral, patchToAllow, patchToRevoke } from './peripheral-permissions.ts';

const PAGE = 'https://kiosk.example';
const ALL = [SCANNER, ADAPTER, PRINTER];

/** A configuration, and the peripherals by its policy. */
function situation(devices: object) {
  const config: unknown = withDefaults(configuration.Config, JSON.parse(JSON.stringify({ devices })));
  assert.ok(validator(configuration.Config).fits(config), JSON.stringify(devices));
  const { peripherals } = describe({
    ...{ policy: Object(config).devices, gadget: undefined, peripherals: ALL, opened: new Map() },
    ...{ pageOrigin: PAGE, hostPort: true },
  });
  return { config, peripherals };
}

function withId(all: readonly Peripheral[], id: string): Peripheral {
  return all.find((one) => one.id === id) ?? assert.fail(`there is no ${id}`);
}

const OTHERS = { vendorId: 1, productId: 2 };
const BEFORE = [
  {},
  { origins: [PAGE] },
  { origins: ['https://other.example'], hid: { enabled: true, allow: [OTHERS] } },
  { serial: { allow: [{ usbVendorId: 0x0403, usbProductId: 0x6001 }] } },
  { origins: [PAGE], usb: { enabled: true, allow: [OTHERS, { vendorId: 0x04b8, productId: 0x0e15 }] } },
];
for (const before of BEFORE) {
  for (const { id, kind } of ALL) {
    test(`with ${JSON.stringify(before)}, ${kind} is allowed by one patch, and by none more`, () => {
      const pick = (all: readonly Peripheral[]) => withId(all, id);
      const { config, peripherals } = situation(before);
      const patch = patchToAllow(config, pick(peripherals), PAGE);
      const after = mergePatch(before, Object(patch?.devices));
      const then = situation(after);
      const allowed = pick(then.peripherals);
      assert.equal(allowed.state, 'allowed', allowed.reason ?? '');
      assert.ok(allowed.origins.includes(PAGE));
      assert.equal(patchToAllow(then.config, allowed, PAGE), undefined);
      for (const other of then.peripherals.filter((one) => one.kind !== kind)) {
        assert.equal(other.rule, withId(peripherals, other.id).rule, 'another kind has changed');
      }

      const revoke = patchToRevoke(then.config, allowed);
      assert.ok(revoke);
      const last = pick(situation(mergePatch(after, revoke.devices)).peripherals);
      assert.deepEqual([last.state, last.rule], ['not_allowed', null]);
      assert.equal(patchToRevoke(then.config, last), undefined);
    });
  }
}

test('another entry than that of the peripheral is not removed', () => {
  const usb = (...allow: object[]) => situation({ origins: [PAGE], usb: { enabled: true, allow } });
  const own = { vendorId: 0x04b8, productId: 0x0e15 };
  const printer = withId(usb(own).peripherals, PRINTER.id);
  assert.ok(patchToRevoke(usb(own, OTHERS).config, printer));
  for (const newer of [usb(OTHERS, own), usb()])
    assert.equal(patchToRevoke(newer.config, printer), undefined);
});

test('what is listed already is not listed twice, and a protected peripheral has no patch', () => {
  const { config, peripherals } = situation({ origins: [PAGE], usb: { enabled: true } });
  const printer = withId(peripherals, PRINTER.id);
  const { suggestion } = printer;
  assert.ok(suggestion);
  // The configuration is newer than the description.
  const newer = situation({ origins: [PAGE], usb: { enabled: true, allow: [suggestion] } });
  assert.equal(patchToAllow(newer.config, printer, PAGE), undefined);
  assert.equal(entryOf(config, printer), undefined);
  assert.deepEqual(entryOf(newer.config, withId(newer.peripherals, PRINTER.id)), suggestion);
  const isProtected: Peripheral = { ...printer, state: 'protected', suggestion: null };
  assert.equal(patchToAllow(situation({}).config, isProtected, PAGE), undefined);
});
