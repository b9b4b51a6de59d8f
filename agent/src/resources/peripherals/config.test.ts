import assert from 'node:assert/strict';
import { test } from 'node:test';
import { peripheralsConfig } from './config.ts';
import type { Policy } from './policy.ts';
import { policy } from './tests/peripherals.ts';

const hidEntry = { vendorId: 0x1209, productId: 0x0001 };
const hidPolicy = (...allow: Policy['hid']['allow']) => policy({ hid: { enabled: true, allow } });
const usbPolicy = (...allow: Policy['usb']['allow']) =>
  policy({ usb: { enabled: true, allow_driver_detach: false, allow } });

test('the configuration refuses entries that can never match', () => {
  const broken = (changes: Partial<Policy>) =>
    peripheralsConfig
      .brokenRules(policy(changes), {
        dualBandRadio: false,
        hasTimeZone: () => true,
        hasKeyboardLayout: () => true,
      })
      .map(({ path, message, reset }) => [path, message, reset]);
  assert.deepEqual(broken({}), []);
  assert.deepEqual(broken(hidPolicy(hidEntry, { ...hidEntry, usage: 1 })), [
    ['/hid/allow/1/usage', 'needs usagePage', '/hid/allow'],
  ]);
  assert.deepEqual(
    broken(usbPolicy({ ...hidEntry, subclass: 1 }, { ...hidEntry, classCode: 1, protocol: 1 })),
    [
      ['/usb/allow/0/subclass', 'needs classCode', '/usb/allow'],
      ['/usb/allow/1/protocol', 'needs subclass', '/usb/allow'],
    ],
  );
  assert.deepEqual(broken(hidPolicy({ ...hidEntry, usagePage: 1, usage: 1 })), []);
  assert.deepEqual(broken(usbPolicy({ ...hidEntry, classCode: 1, subclass: 1, protocol: 1 })), []);
});
